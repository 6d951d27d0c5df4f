//#run: for u in 0 022 077; do (umask $u; mkdir p; PATHCC_PROFILE=p/ ./prog; stat -c %a p/*.pathprof >>modes 2>/dev/null; [ ! -e p/prog.pathprof ] || cat p/*.pathprof >>profiles/prog.pathprof; rm -r p); done; [ "$(cat modes 2>/dev/null | tr '\n' ' ')" = '666 644 600 ' ] || [ ! -s modes ] || cat modes
//#profiles: 3
//#entries: main 3
//#incomplete: 0
// While it is used, the file with the counters is its owner's alone, whatever the umask says. The profile follows the umask.
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
int main(void) {
    DIR *directory = opendir("p");
    for (struct dirent *entry; (entry = readdir(directory));) {
        char path[300];
        struct stat status;
        snprintf(path, sizeof path, "p/%s", entry->d_name);
        if (strstr(path, ".raw") && (stat(path, &status) || (status.st_mode & 0777) != 0600 || *entry->d_name != '.'))
            printf("%s %o\n", path, status.st_mode);
    }
    closedir(directory);
    return 0;
}

//#run: mkdir p; cd p; PATHCC_PROFILE= ../prog; PATHCC_PROFILE=%z%%.pathprof ../prog; PATHCC_DISABLE=1 PATHCC_PROFILE=x.pathprof ../prog; cp *prof ../prog.pathprof ../profiles 2>/dev/null; ls ../profiles >names; printf '%%z%%.pathprof\nprog.pathprof\nx.pathprof\n' | cmp -s - names || [ ! -s names ] || cat names
//#profiles: 3
//#entries: main 3
//#incomplete: 0
// An empty variable is as none, what stands for nothing stays, and PATHCC_DISABLE is for compilers and linkers.
int main(void) { return 0; }

//! Programs in Fortran are traced as those in C are.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use pathtests::shell::shell;
use serde_json::Value;

const PROGRAM: &str = "program sums
  implicit none
  integer :: i
  real(8) :: a(100)
  do i = 1, 100
    a(i) = i * 0.5d0
  end do
  print '(f6.1, i4)', total(a, 100), factorial(5)
contains
  real(8) function total(x, n)
    integer, intent(in) :: n
    real(8), intent(in) :: x(n)
    integer :: k
    total = 0
    do k = 1, n
      if (mod(k, 3) == 0) total = total + x(k)
    end do
  end function
  recursive integer function factorial(n) result(r)
    integer, intent(in) :: n
    if (n <= 1) then
      r = 1
    else
      r = n * factorial(n - 1)
    end if
  end function
end program
";

/// The line of `PROGRAM` that reads every third element.
const READS: u64 = 16;

const PARALLEL: &str = "program shares
  implicit none
  integer :: i, total
  total = 0
  !$omp parallel do num_threads(2)
  do i = 1, 50
    !$omp critical
    total = total + i
    !$omp end critical
  end do
  !$omp end parallel do
  print '(i0)', total
end program
";

/// Builds and runs a program with these options; what it prints, and the objects of its trace.
fn traced(folder: &Path, source: &str, options: &str) -> (String, Vec<Value>) {
    fs::write(folder.join("prog.f90"), source).expect("writable");
    let build = format!("pathfc -g {options} -fpath-mode=trace prog.f90 -o prog");
    let printed = shell(folder, &format!("rm -f ./*.pathtrace\n{build}\n./prog"));
    let told = shell(folder, "pathprof trace cat --format json ./*.pathtrace");
    let objects = told.lines().map(|line| serde_json::from_str(line).expect("JSON"));
    (printed, objects.collect())
}

#[test]
fn paths_and_accesses_of_fortran_are_told() {
    let folder = tempfile::tempdir().expect("a folder");
    for level in ["-O0", "-O2"] {
        let (printed, told) = traced(folder.path(), PROGRAM, level);
        assert_eq!(printed, " 841.5 120\n", "{level}");
        let accesses = told.iter().filter_map(|step| step["accesses"].as_array()).flatten();
        let reads: Vec<u64> = accesses
            .filter(|access| access[0] == "load" && access[1] == 8 && access[3] == READS)
            .map(|access| access[2].as_u64().expect("an address"))
            .collect();
        let expected: Vec<u64> = (0..33).map(|read| reads[0] + 24 * read).collect();
        assert_eq!(reads, expected, "{level}");
    }
    let (_, told) = traced(folder.path(), PROGRAM, "-O0");
    let mut paths: BTreeMap<&str, usize> = BTreeMap::new();
    for step in &told {
        *paths.entry(step["function"].as_str().unwrap_or_default()).or_default() += 1;
    }
    let of_factorial = paths.iter().find(|(name, _)| name.contains("factorial"));
    // Five calls begin, and four go on.
    assert_eq!(of_factorial.map(|(_, count)| *count), Some(9), "{paths:?}");
}

#[test]
fn openmp_of_fortran_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let (printed, told) = traced(folder.path(), PARALLEL, "-O1 -fopenmp");
    assert_eq!(printed, "1275\n");
    let count =
        |operation: &str| told.iter().filter(|event| event["operation"] == operation).count();
    assert_eq!((count("parallel_begin"), count("member_begin"), count("member_end")), (1, 2, 2));
    // The library of Fortran has locks of its own.
    assert!(count("lock") >= 50, "{}", count("lock"));
    let races = shell(folder.path(), "pathprof trace races --format json ./*.pathtrace");
    let races: Value = serde_json::from_str(&races).expect("JSON");
    assert_eq!(races["tables"][0]["rows"], Value::Array(Vec::new()));
}

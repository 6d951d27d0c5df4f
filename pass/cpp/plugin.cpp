// The plugin in clang's pipeline: its options, where in the pipeline it runs, and the level of the
// pipeline. LLVM's C API has none of it.
//
// Decided here: which of LLVM's extension points the pass stands at, given the point that Rust
// chooses (`pathpass_pipeline_point`), and when the profiler of clang's own has run. What an option
// means and what is done to a module is decided in Rust. The declarations in src/ffi.rs must match.
#include "llvm-c/Target.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassInstrumentation.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/CommandLine.h"

using namespace llvm;

// Must match `Parameter` in src/ffi.rs.
struct PathpassOption {
  const char *Word, *Meaning;
  bool Hidden;
};

// Must match `Situation` in src/ffi.rs.
struct PathpassSituation {
  int Speed, Size;
  bool Last, IsLinkedLater;
};

// The list of `PipelinePoint` in src/parameters.rs.
enum class PipelinePoint : unsigned { Late, Early, BehindProfiler };

extern "C" PathpassOption pathpass_option(size_t Number);
extern "C" PipelinePoint pathpass_pipeline_point();
extern "C" bool pathpass_run(LLVMModuleRef Module, const PathpassSituation *Situation,
                             FunctionAnalysisManager *Analyses);
extern "C" bool pathpass_prepare(LLVMModuleRef Module);

static cl::OptionCategory Category("pathcc: exact path profiles");

// The options of the plugin. LLVM keeps pointers to them, so they are never destroyed.
static const std::vector<cl::list<std::string> *> Parameters = [] {
  std::vector<cl::list<std::string> *> All;
  for (auto Next = pathpass_option(0); Next.Word; Next = pathpass_option(All.size()))
    All.push_back(new cl::list<std::string>(StringRef(Next.Word), cl::desc(Next.Meaning),
                                            Next.Hidden ? cl::Hidden : cl::NotHidden,
                                            cl::cat(Category)));
  return All;
}();

// Visits the values that an option was given, in their order.
extern "C" void pathpass_values(size_t Number, void *Visitor,
                                void (*Visit)(void *, const char *, size_t)) {
  for (const std::string &Value : *Parameters[Number])
    Visit(Visitor, Value.data(), Value.size());
}

namespace {
struct PathPass : PassInfoMixin<PathPass> {
  PathpassSituation Situation;
  // Outside of every pipeline that has a level.
  explicit PathPass(bool Last) : Situation{-1, 0, Last, false} {}
  // `Last` says that all that follows is code generation that optimises, and `IsLinkedLater` that
  // a linker generates the code, by link-time optimisation.
  PathPass(OptimizationLevel Level, bool Last, bool IsLinkedLater = false)
      : Situation{int(Level.getSpeedupLevel()), int(Level.getSizeLevel()), Last, IsLinkedLater} {}
  PreservedAnalyses run(Module &M, ModuleAnalysisManager &Analyses) {
    auto &Functions = Analyses.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager();
    return pathpass_run(wrap(&M), &Situation, &Functions) ? PreservedAnalyses::none()
                                                          : PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};
} // namespace

namespace {
// Prepares a module for the late pass.
struct PreparePass : PassInfoMixin<PreparePass> {
  PreservedAnalyses run(Module &M, ModuleAnalysisManager &) {
    return pathpass_prepare(wrap(&M)) ? PreservedAnalyses::none() : PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};
} // namespace

namespace {
// The early pass, in a pipeline that reads or makes a profile of clang's own: that knows functions
// by the shapes of their graphs, which we change. So we stand behind it. LLVM has no
// extension point there, but calls us back when a pass has run.
struct Behind {
  // The module that will be counted when the profiler has run.
  Module *M = nullptr;
  ModuleAnalysisManager *Analyses = nullptr;
  OptimizationLevel Level;

  void run() {
    Module &Waiting = *std::exchange(M, nullptr);
    Analyses->invalidate(Waiting, PathPass(Level, false).run(Waiting, *Analyses));
  }
};

struct WaitPass : PassInfoMixin<WaitPass> {
  std::shared_ptr<Behind> Waits;
  OptimizationLevel Level;
  WaitPass(std::shared_ptr<Behind> Waits, OptimizationLevel Level)
      : Waits(std::move(Waits)), Level(Level) {}
  PreservedAnalyses run(Module &M, ModuleAnalysisManager &Analyses) {
    // A profile of clang's front end has been read already.
    if (M.getProfileSummary(/*IsCS=*/false))
      return PathPass(Level, false).run(M, Analyses);
    Waits->M = &M;
    Waits->Level = Level;
    Waits->Analyses = &Analyses;
    return PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

// Counts what is still waiting, since no profiler came.
struct LatestPass : PassInfoMixin<LatestPass> {
  std::shared_ptr<Behind> Waits;
  explicit LatestPass(std::shared_ptr<Behind> Waits) : Waits(std::move(Waits)) {}
  PreservedAnalyses run(Module &M, ModuleAnalysisManager &) {
    if (Waits->M != &M)
      return PreservedAnalyses::all();
    Waits->run();
    return PreservedAnalyses::none();
  }
  static bool isRequired() { return true; }
};
} // namespace

extern "C" void pathpass_register(PassBuilder &PB) {
  // We write assembly, too. flang has no parser of its own for it.
  LLVMInitializeX86AsmParser();
  auto Waits = std::make_shared<Behind>();
  auto *Instrumentation = PB.getPassInstrumentationCallbacks();
  bool IsEarly = pathpass_pipeline_point() != PipelinePoint::Late;
  bool CanWait = pathpass_pipeline_point() == PipelinePoint::BehindProfiler && Instrumentation;
  if (CanWait)
    Instrumentation->registerAfterPassCallback([Waits](StringRef Pass, Any,
                                                       const PreservedAnalyses &) {
      if (Waits->M &&
          is_contained(
              {"PGOInstrumentationUse", "PGOInstrumentationGen", "SampleProfileLoaderPass"}, Pass))
        Waits->run();
    });
  PB.registerPipelineStartEPCallback(
      [Waits, IsEarly, CanWait](ModulePassManager &MPM, OptimizationLevel Level) {
        if (CanWait)
          MPM.addPass(WaitPass(Waits, Level));
        else if (IsEarly)
          MPM.addPass(PathPass(Level, false));
        else
          MPM.addPass(PreparePass());
      });
  PB.registerOptimizerLastEPCallback(
      [Waits, IsEarly](ModulePassManager &MPM, OptimizationLevel Level, ThinOrFullLTOPhase Phase) {
        bool IsLast = Level != OptimizationLevel::O0 && Phase == ThinOrFullLTOPhase::None;
        if (IsEarly)
          MPM.addPass(LatestPass(Waits));
        else
          MPM.addPass(PathPass(Level, IsLast, Phase != ThinOrFullLTOPhase::None));
      });
  // Of full link-time optimisation, where all units are one module.
  PB.registerFullLinkTimeOptimizationLastEPCallback(
      [IsEarly](ModulePassManager &MPM, OptimizationLevel Level) {
        if (!IsEarly)
          MPM.addPass(PathPass(Level, Level != OptimizationLevel::O0, true));
      });
  PB.registerPipelineParsingCallback(
      [](StringRef Name, ModulePassManager &MPM, ArrayRef<PassBuilder::PipelineElement>) {
        if (Name != "pathcc" && Name != "pathcc-last")
          return false;
        MPM.addPass(PathPass(Name == "pathcc-last"));
        return true;
      });
}

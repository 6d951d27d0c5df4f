// A pass plugin that takes pathcc's options and leaves the code alone. It marks each module, so that a test can see
// in the IR that it has run.
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Plugins/PassPlugin.h"
#include "llvm/Support/CommandLine.h"

using namespace llvm;

static cl::opt<std::string> Mode("pathcc-mode"), Stage("pathcc-stage"), Threads("pathcc-threads"),
    Limit("pathcc-limit"), Filter("pathcc-filter"), Skip("pathcc-skip"), DropNames("pathcc-drop-names");

struct Mark : PassInfoMixin<Mark> {
  PreservedAnalyses run(Module &M, ModuleAnalysisManager &) {
    M.getOrInsertNamedMetadata("pathcc." + Mode + "." + Stage + "." + Threads + "." + Limit + "." + Filter + "." + Skip);
    return PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

extern "C" LLVM_ATTRIBUTE_WEAK PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "pathcc-test", "1", [](PassBuilder &PB) {
            PB.registerOptimizerLastEPCallback(
                [](ModulePassManager &MPM, OptimizationLevel, ThinOrFullLTOPhase) { MPM.addPass(Mark()); });
          }};
}

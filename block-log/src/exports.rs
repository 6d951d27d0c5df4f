//! The symbols by which this object joins a program. All global symbols are hidden.

use core::arch::global_asm;

use process::environment::{self, of_image};
use process::lifetime::{build_id, read};
use process::origin::Asker;
use process::proc::NoLibrary;

use crate::log;

process::run_at_start_and_end!(start, stop);

// The functions that code compiled with `-pathcc-mode=log` calls.
global_asm!(
    ".macro export name, target",
    ".globl \\name",
    ".hidden \\name",
    ".type \\name, @function",
    ".set \\name, \\target",
    ".endm",
    "export __pathcc_log_enter, {enter}",
    "export __pathcc_log_block, {block}",
    "export __pathcc_log_end, {end}",
    ".purgem export",
    enter = sym enter,
    block = sym block,
    end = sym end,
);

// What machine code calls that was instrumented behind register allocation. It changes no register,
// nor flags. The arguments stand on the stack, above the return address: the event, the function,
// and the two halves of the module's id; then the red zone of the caller.
global_asm!(
    ".pushsection .text.__pathcc_log_machine, \"ax\", @progbits",
    ".globl __pathcc_log_machine",
    ".hidden __pathcc_log_machine",
    ".type __pathcc_log_machine, @function",
    "__pathcc_log_machine:",
    "pushfq",
    "push rax",
    "push rcx",
    "push rdx",
    "push rsi",
    "push rdi",
    "push r8",
    "push r9",
    "push r10",
    "push r11",
    "push rbx",
    "mov rbx, rsp",
    "lea rdi, [rbx + 96]",
    "lea rsi, [rdi + 32 + 128]",
    "sub rsp, 512",
    "and rsp, -64",
    "fxsave64 [rsp]",
    "cld",
    "call {machine}",
    "fxrstor64 [rsp]",
    "mov rsp, rbx",
    "pop rbx",
    "pop r11",
    "pop r10",
    "pop r9",
    "pop r8",
    "pop rdi",
    "pop rsi",
    "pop rdx",
    "pop rcx",
    "pop rax",
    "popfq",
    "ret",
    ".popsection",
    machine = sym machine,
);

/// The constructor.
extern "C" fn start() {
    // SAFETY: no other code of this image runs before its first constructor has returned.
    let environment = unsafe { environment::change() };
    // An address of code, since the pages of zeroed data belong to no file.
    let address = start as *const () as usize;
    read(environment, address, build_id(), Asker::Counted(address), &NoLibrary);
    environment.origin.read_descent();
}

/// The destructor.
extern "C" fn stop() {
    log::finish(of_image());
}

/// Records that a function is entered. Returns the number of its frame. `module` points to 16
/// bytes, the module's id. `function` is the function's index in the module's manifest.
unsafe extern "C" fn enter(module: *const log::Record, function: u32) -> u64 {
    // SAFETY: the instrumented code passes a constant of its own.
    log::enter(of_image(), unsafe { &*module }, function)
}

/// Records that a block of a frame is executed.
extern "C" fn block(frame: u64, block: u32) {
    log::block(of_image(), frame, block);
}

/// Records that a frame ends.
extern "C" fn end(frame: u64) {
    log::end(of_image(), frame);
}

/// Records an event of machine code whose stack pointer stands at `stack`.
unsafe extern "C" fn machine(event: *const log::MachineEvent, stack: usize) {
    // SAFETY: the code above passes what the instrumented code pushed.
    log::machine(of_image(), unsafe { &*event }, stack);
}

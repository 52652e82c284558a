//! The general registers of a thread, by architecture.

/// The names of the registers, in the order in which a crash holds them.
#[cfg(target_arch = "x86_64")]
pub(crate) const REGISTERS: [&str; 18] = [
    "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "rdi", "rsi", "rbp", "rbx", "rdx", "rax", "rcx", "rsp",
    "rip", "eflags",
];
/// The names of the registers, in the order in which a crash holds them.
#[cfg(target_arch = "aarch64")]
pub(crate) const REGISTERS: [&str; 34] = [
    "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15", "x16", "x17",
    "x18", "x19", "x20", "x21", "x22", "x23", "x24", "x25", "x26", "x27", "x28", "fp", "lr", "sp", "pc", "pstate",
];

/// The values of [`REGISTERS`].
pub(crate) type Registers = [u64; REGISTERS.len()];

#[cfg(target_arch = "x86_64")]
const FRAME_POINTER: usize = 10;
#[cfg(target_arch = "x86_64")]
const STACK_POINTER: usize = 15;
#[cfg(target_arch = "x86_64")]
const PROGRAM_COUNTER: usize = 16;

#[cfg(target_arch = "aarch64")]
const FRAME_POINTER: usize = 29;
#[cfg(target_arch = "aarch64")]
const LINK_REGISTER: usize = 30;
#[cfg(target_arch = "aarch64")]
const STACK_POINTER: usize = 31;
#[cfg(target_arch = "aarch64")]
const PROGRAM_COUNTER: usize = 32;

/// The address of the instruction.
pub(super) fn program_counter(registers: &Registers) -> u64 {
    registers[PROGRAM_COUNTER]
}

/// The inner end of the stack.
pub(crate) fn stack_pointer(registers: &Registers) -> u64 {
    registers[STACK_POINTER]
}

/// The registers from which unwinding starts.
#[cfg(target_arch = "x86_64")]
pub(super) fn unwinding(registers: &Registers, _highest: u64) -> framehop::x86_64::UnwindRegsX86_64 {
    framehop::x86_64::UnwindRegsX86_64::new(
        program_counter(registers),
        stack_pointer(registers),
        registers[FRAME_POINTER],
    )
}

/// The registers from which unwinding starts. Return addresses may be signed; `highest` is the highest address of code.
#[cfg(target_arch = "aarch64")]
pub(super) fn unwinding(registers: &Registers, highest: u64) -> framehop::aarch64::UnwindRegsAarch64 {
    framehop::aarch64::UnwindRegsAarch64::new_with_ptr_auth_mask(
        framehop::aarch64::PtrAuthMask::from_max_known_address(highest),
        registers[LINK_REGISTER],
        stack_pointer(registers),
        registers[FRAME_POINTER],
    )
}

/// The registers that are not 0, as text.
pub(super) fn shown(registers: &Registers) -> String {
    let set = REGISTERS.iter().zip(registers).filter(|(_, value)| **value != 0);
    set.map(|(name, value)| format!("{name}={value:#x}")).collect::<Vec<_>>().join(" ")
}

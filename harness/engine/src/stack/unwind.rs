//! The addresses of a stack's frames, found with the unwind tables of the mapped files.

use framehop::{ExplicitModuleSectionInfo, FrameAddress, Module as UnwindModule, Unwinder as _};
use object::File;

use super::elf::{bias, open, section};
use super::maps::Module;
use super::registers::{Registers, program_counter, stack_pointer, unwinding};

#[cfg(target_arch = "aarch64")]
use framehop::aarch64::{CacheAarch64 as Cache, UnwinderAarch64 as Unwinder};
#[cfg(target_arch = "x86_64")]
use framehop::x86_64::{CacheX86_64 as Cache, UnwinderX86_64 as Unwinder};

/// The maximum number of frames to unwind.
const MOST: usize = 256;
/// The maximum size of a file's unwind tables, in bytes.
const LARGEST_TABLES: u64 = 256 << 20;

/// The frames found.
#[derive(Debug, Default)]
pub(super) struct Unwound {
    /// The addresses of the instructions, innermost first. Those of callers are inside the call.
    pub addresses: Vec<u64>,
    /// The reason why the stack ends early.
    pub why: Option<String>,
}

/// Unwinds a stack. `stack` holds the bytes from the stack pointer on.
pub(super) fn unwind(registers: &Registers, stack: &[u8], modules: &[Module]) -> Unwound {
    let base = stack_pointer(registers);
    let mut read = |address: u64| -> Result<u64, ()> {
        let at = usize::try_from(address.wrapping_sub(base)).map_err(|_| ())?;
        let bytes = at.checked_add(8).and_then(|end| stack.get(at..end)).ok_or(())?;
        Ok(u64::from_le_bytes(bytes.try_into().map_err(|_| ())?))
    };
    let highest = modules.iter().map(|module| module.range.end).max().unwrap_or(u64::MAX >> 8);
    let mut from = unwinding(registers, highest);
    let mut unwinder: Unwinder<Vec<u8>> = Unwinder::new();
    let mut cache = Cache::new();
    let mut added: Vec<u64> = Vec::new();
    let mut address = FrameAddress::from_instruction_pointer(program_counter(registers));
    let mut found = Unwound { addresses: vec![address.address_for_lookup()], why: None };
    while found.addresses.len() < MOST {
        let module = Module::at(modules, address.address_for_lookup());
        if let Some(module) = module.filter(|module| !added.contains(&module.range.start)) {
            added.push(module.range.start);
            if let Some(tables) = tables(module) {
                unwinder.add_module(tables);
            }
        }
        // After a call to an address without code, the return address is where the call left it.
        let astray = module.is_none() && found.addresses.len() == 1;
        let next = match astray {
            true => caller_of_nothing(&mut from, &mut read),
            false => {
                unwinder.unwind_frame(address, &mut from, &mut cache, &mut read).map_err(|error| error.to_string())
            }
        };
        match next {
            Ok(Some(return_address)) => {
                let Some(next) = FrameAddress::from_return_address(return_address) else { break };
                address = next;
                found.addresses.push(address.address_for_lookup());
            }
            Ok(None) => break,
            Err(why) => {
                found.why = Some(format!("the stack could not be followed further: {why}"));
                break;
            }
        }
    }
    found
}

/// Returns from an address without code.
#[cfg(target_arch = "x86_64")]
fn caller_of_nothing(
    from: &mut framehop::x86_64::UnwindRegsX86_64,
    read: &mut impl FnMut(u64) -> Result<u64, ()>,
) -> Result<Option<u64>, String> {
    let sp = from.sp();
    let return_address = read(sp).map_err(|()| "the stack is empty".to_owned())?;
    from.set_sp(sp.wrapping_add(8));
    from.set_ip(return_address);
    Ok(Some(return_address))
}

/// Returns from an address without code.
#[cfg(target_arch = "aarch64")]
fn caller_of_nothing(
    from: &mut framehop::aarch64::UnwindRegsAarch64,
    _read: &mut impl FnMut(u64) -> Result<u64, ()>,
) -> Result<Option<u64>, String> {
    Ok(Some(from.lr()))
}

/// A file's unwind tables.
fn tables(module: &Module) -> Option<UnwindModule<Vec<u8>>> {
    let pieces = open(&module.file)?;
    let file = File::parse(&pieces).ok()?;
    let base = bias(module, &file)?;
    let mut info = ExplicitModuleSectionInfo::<Vec<u8>>::default();
    if let Some((range, bytes)) = section(&file, ".eh_frame", LARGEST_TABLES) {
        (info.eh_frame_svma, info.eh_frame) = (Some(range), Some(bytes));
    }
    if let Some((range, bytes)) = section(&file, ".eh_frame_hdr", LARGEST_TABLES) {
        (info.eh_frame_hdr_svma, info.eh_frame_hdr) = (Some(range), Some(bytes));
    }
    if info.eh_frame.is_none() {
        info.debug_frame = section(&file, ".debug_frame", LARGEST_TABLES).map(|(_, bytes)| bytes);
    }
    info.text_svma = section(&file, ".text", 0).map(|(range, _)| range);
    info.got_svma = section(&file, ".got", LARGEST_TABLES).map(|(range, _)| range);
    Some(UnwindModule::new(module.path.clone(), module.range.clone(), base, info))
}

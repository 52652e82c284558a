//! Limits on the size of a stack in the journal.

use record::Stack;

/// The maximum number of frames kept of the thread that matters.
pub(super) const MOST_FRAMES: usize = 32;
/// The maximum length of a frame, in bytes.
const LONGEST_FRAME: usize = 200;
/// The size of all frames after which further threads are left out, in bytes.
const LARGEST: usize = 4 << 10;
/// The maximum number of frames kept of a thread other than the first.
const FRAMES_OF_OTHERS: usize = 10;

/// A frame without its middle, if it is too long: names of templates have thousands of characters.
pub(super) fn clipped(frame: &str) -> String {
    if frame.len() <= LONGEST_FRAME {
        return frame.to_owned();
    }
    let half = LONGEST_FRAME / 2;
    let start = (0..=half).rev().find(|at| frame.is_char_boundary(*at)).unwrap_or(0);
    let end = (frame.len() - half..frame.len()).find(|at| frame.is_char_boundary(*at)).unwrap_or(frame.len());
    format!("{}…{}", &frame[..start], &frame[end..])
}

/// Leaves out frames and threads until the stack is small.
pub(super) fn bound(stack: &mut Stack) {
    let mut size = 0;
    let mut kept = 0;
    for (number, thread) in stack.threads.iter_mut().enumerate() {
        let most = if number == 0 { MOST_FRAMES } else { FRAMES_OF_OTHERS };
        thread.left_out += thread.frames.len().saturating_sub(most) as u64;
        thread.frames.truncate(most);
        size += thread.name.len() + thread.wait.len() + thread.frames.iter().map(String::len).sum::<usize>();
        if number > 0 && size > LARGEST {
            break;
        }
        kept = number + 1;
    }
    stack.left_out += (stack.threads.len() - kept) as u64;
    stack.threads.truncate(kept);
}

#[cfg(test)]
mod tests {
    use record::StackThread;

    use super::*;

    #[test]
    fn the_first_thread_stays_and_the_rest_is_counted() {
        let thread = |frames| StackThread { frames: vec!["x".repeat(100); frames], ..StackThread::default() };
        let mut stack = Stack { threads: vec![thread(40), thread(12), thread(10), thread(10)], ..Stack::default() };
        bound(&mut stack);
        let kept: Vec<_> = stack.threads.iter().map(|thread| (thread.frames.len(), thread.left_out)).collect();
        assert_eq!((kept, stack.left_out), (vec![(32, 8)], 3));
        let mut small = Stack { threads: vec![thread(2), thread(12)], ..Stack::default() };
        bound(&mut small);
        assert_eq!((small.threads[1].frames.len(), small.threads[1].left_out, small.left_out), (10, 2, 0));
    }

    #[test]
    fn a_long_name_loses_its_middle() {
        let clipped = clipped(&format!("#0 {}é{} (file.c:1)", "a".repeat(96), "b".repeat(300)));
        assert!(clipped.len() <= LONGEST_FRAME + 4 && clipped.ends_with("(file.c:1)"), "{clipped}");
    }
}

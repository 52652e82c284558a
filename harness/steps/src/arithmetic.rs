//! Exact arithmetic on 128-bit integers: what C's operators mean before any wrap.

use super::syntax::BinaryOperator;

/// Why an operation has no result.
pub type Fault = &'static str;

const OVERFLOW: Fault = "the result needs more than 128 bits";

/// The negative of a value.
pub fn negate(value: i128) -> Result<i128, Fault> {
    value.checked_neg().ok_or(OVERFLOW)
}

/// The result of an operator on two values; comparisons give 0 or 1.
#[inline]
pub fn binary(operator: BinaryOperator, left: i128, right: i128) -> Result<i128, Fault> {
    use BinaryOperator::*;
    Ok(match operator {
        Add => left.checked_add(right).ok_or(OVERFLOW)?,
        Subtract => left.checked_sub(right).ok_or(OVERFLOW)?,
        Multiply => left.checked_mul(right).ok_or(OVERFLOW)?,
        Divide => left.checked_div(right).ok_or("division by zero")?,
        Remainder => left.checked_rem(right).ok_or("remainder of a division by zero")?,
        ShiftLeft => {
            let distance =
                u32::try_from(right).ok().filter(|distance| *distance < 64).ok_or("a shift is by 0 to 63 bits")?;
            left.checked_mul(1i128 << distance).ok_or(OVERFLOW)?
        }
        ShiftRight => {
            left >> u32::try_from(right).ok().filter(|distance| *distance < 64).ok_or("a shift is by 0 to 63 bits")?
        }
        BitAnd => left & right,
        BitOr => left | right,
        BitXor => left ^ right,
        Equal => i128::from(left == right),
        NotEqual => i128::from(left != right),
        Less => i128::from(left < right),
        LessEqual => i128::from(left <= right),
        Greater => i128::from(left > right),
        GreaterEqual => i128::from(left >= right),
        And => i128::from(left != 0 && right != 0),
        Or => i128::from(left != 0 || right != 0),
    })
}

//! Exact arithmetic on 128-bit integers: the results of C's operators before any wrapping.

use super::syntax::BinaryOperator;

/// The reason why an operation has no result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ArithmeticError {
    #[error("the result needs more than 128 bits")]
    Overflow,
    #[error("division by zero")]
    Division,
    #[error("remainder of a division by zero")]
    Remainder,
    #[error("a shift must be by 0 to 63 bits")]
    Shift,
}

/// The negative of a value.
#[inline]
pub fn negate(value: i128) -> Result<i128, ArithmeticError> {
    value.checked_neg().ok_or(ArithmeticError::Overflow)
}

/// The result of an operator on two values. Comparisons give 0 or 1.
#[inline]
pub fn binary(operator: BinaryOperator, left: i128, right: i128) -> Result<i128, ArithmeticError> {
    use BinaryOperator::*;
    Ok(match operator {
        Add => left.checked_add(right).ok_or(ArithmeticError::Overflow)?,
        Subtract => left.checked_sub(right).ok_or(ArithmeticError::Overflow)?,
        Multiply => left.checked_mul(right).ok_or(ArithmeticError::Overflow)?,
        Divide if right == 0 => return Err(ArithmeticError::Division),
        Divide => left.checked_div(right).ok_or(ArithmeticError::Overflow)?,
        Remainder if right == 0 => return Err(ArithmeticError::Remainder),
        Remainder => left.checked_rem(right).ok_or(ArithmeticError::Overflow)?,
        ShiftLeft => left.checked_mul(1i128 << distance(right)?).ok_or(ArithmeticError::Overflow)?,
        ShiftRight => left >> distance(right)?,
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

fn distance(bits: i128) -> Result<u32, ArithmeticError> {
    u32::try_from(bits).ok().filter(|bits| *bits < 64).ok_or(ArithmeticError::Shift)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_numbers_have_a_result_or_an_error_that_says_why() {
        use BinaryOperator::*;
        let numbers = [i128::MIN, -1, 0, 1, 63, 64, i128::from(u64::MAX), i128::MAX];
        for operator in [Add, Subtract, Multiply, Divide, Remainder, ShiftLeft, ShiftRight, BitXor, Less, And] {
            for left in numbers {
                for right in numbers {
                    let result = binary(operator, left, right);
                    let by_zero = matches!(operator, Divide | Remainder) && right == 0;
                    let said = matches!(result, Err(ArithmeticError::Division | ArithmeticError::Remainder));
                    assert_eq!(by_zero, said, "{operator:?} of {left} and {right}: {result:?}");
                }
            }
        }
        assert_eq!(binary(Divide, i128::MIN, -1), Err(ArithmeticError::Overflow));
        assert_eq!(negate(i128::MIN), Err(ArithmeticError::Overflow));
    }
}

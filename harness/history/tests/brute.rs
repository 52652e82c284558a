//! All orders, one by one.

use history::{Event, Model, Of};

/// True if some order of the operations is compatible with their times and allowed by the model. Tries all orders.
pub(crate) fn consistent<M: Model>(model: &M, history: &[Of<M>]) -> bool {
    extend(model, &model.start(), &history.iter().collect::<Vec<_>>())
}

fn extend<M: Model>(model: &M, state: &M::State, left: &[&Of<M>]) -> bool {
    if left.iter().all(|event| event.returned.is_none()) {
        return true;
    }
    (0..left.len()).any(|next| {
        let event: &Event<M::Call> = left[next];
        if left.iter().any(|other| other.precedes(event)) {
            return false;
        }
        let rest: Vec<&Of<M>> =
            left.iter().enumerate().filter(|(at, _)| *at != next).map(|(_, event)| *event).collect();
        model.apply(state, &event.call, event.answer()).iter().any(|after| extend(model, after, &rest))
    })
}

use crate::{data::Data, model::Model};
pub fn drift(model: &Model, _d: &mut Data, q: &mut [f64], v: &mut [f64], h: f64) -> Result<(), ()> {
    crate::euler::advance(model, q, v, h);
    Ok(())
}

//! The items in bindgen's output that the generated file keeps: the types that signatures and tables name. bindgen's
//! loader, constants and methods are not used.

use std::collections::BTreeSet;

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;

use crate::model::Model;

/// The items that thunks and tables need, directly or indirectly.
pub(crate) fn needed(raw: &syn::File, model: &Model) -> syn::File {
    let mut words = BTreeSet::new();
    for function in &model.functions {
        for ty in function.parameters.iter().map(|parameter| &parameter.rust).chain(&function.result) {
            collect(ty.to_token_stream(), &mut words);
        }
    }
    words.extend(model.structs.iter().map(|structure| structure.rust.clone()));
    loop {
        let items: Vec<syn::Item> = raw.items.iter().filter(|item| keeps(item, &words)).cloned().collect();
        let before = words.len();
        for item in &items {
            collect(item.to_token_stream(), &mut words);
        }
        if words.len() == before {
            return syn::File { items, ..raw.clone() };
        }
    }
}

fn keeps(item: &syn::Item, words: &BTreeSet<String>) -> bool {
    let needed = |name: &syn::Ident| words.contains(&name.to_string());
    match item {
        syn::Item::Struct(item) => needed(&item.ident),
        syn::Item::Union(item) => needed(&item.ident),
        syn::Item::Type(item) => needed(&item.ident),
        syn::Item::Use(item) => match &item.tree {
            syn::UseTree::Path(path) => {
                matches!(&*path.tree, syn::UseTree::Rename(rename) if needed(&rename.rename))
            }
            _ => false,
        },
        syn::Item::Impl(item) => {
            let name = match &*item.self_ty {
                syn::Type::Path(ty) => ty.path.segments.last().map(|segment| &segment.ident),
                _ => None,
            };
            item.trait_.is_some() && name.is_some_and(needed)
        }
        // The assertion about a struct's layout, checked when the generated file is compiled.
        syn::Item::Const(item) => item.ident == "_",
        _ => false,
    }
}

/// Adds the identifiers among the tokens.
fn collect(tokens: TokenStream, words: &mut BTreeSet<String>) {
    for token in tokens {
        match token {
            TokenTree::Ident(word) => {
                words.insert(word.to_string());
            }
            TokenTree::Group(group) => collect(group.stream(), words),
            TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
    }
}

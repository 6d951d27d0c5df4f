//! Adds the functions by which a program names what it counts, in place of those of
//! `pathcc/profile.h`, which do nothing.
//!
//! They are not weak, since those of the header are. An object that another compiler made may call
//! them, too. Only if a counted module does are they visible, as those of the header are: else an
//! image would export what it does not export without us. Those of a library are its own: what it
//! calls leads to the registry of the process, as what an executable calls does.

use anyhow::Result;
use object::SectionKind;
use object::elf::{STB_GLOBAL, STT_FUNC, STV_HIDDEN, STV_PROTECTED, SymbolInfo};
use object::write::{Object, Symbol, SymbolSection};
use object::{SymbolFlags, SymbolKind, SymbolScope};
use pathformat::descriptor::thread_function;
use pathformat::names;

use crate::assembly::labels::change;
use crate::elements::{section, undefined};

/// Adds the functions, visible or hidden.
pub(crate) fn define(object: &mut Object<'_>, is_visible: bool) -> Result<()> {
    let visibility = if is_visible { STV_PROTECTED } else { STV_HIDDEN };
    let scope = if is_visible { SymbolScope::Dynamic } else { SymbolScope::Linkage };
    let runtime = undefined(object, names::LABEL);
    let text = section(object, ".text.__pathcc_label", SectionKind::Text);
    for (number, name) in (0..).zip(names::LABEL_FUNCTIONS) {
        let mut code = change::CODE.to_vec();
        change::NUMBER.set(&mut code, number);
        let value = object.append_section_data(text, &code, thread_function::ALIGNMENT);
        change::HANDLER.refer(object, text, value, runtime)?;
        object.add_symbol(Symbol {
            name: name.into(),
            value,
            size: code.len() as u64,
            kind: SymbolKind::Text,
            scope,
            weak: false,
            section: SymbolSection::Section(text),
            flags: SymbolFlags::Elf {
                st_info: SymbolInfo::new(STB_GLOBAL, STT_FUNC),
                st_other: visibility.into(),
            },
        });
    }
    Ok(())
}

// CodeMirror, unbundled. It lives in a shadow root: there its styles are constructed sheets, which the content policy allows.
import { EditorState, Compartment } from '@codemirror/state';
import { EditorView, keymap, lineNumbers, drawSelection, highlightActiveLine, highlightActiveLineGutter, placeholder, highlightSpecialChars } from '@codemirror/view';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { StreamLanguage, HighlightStyle, syntaxHighlighting, bracketMatching, indentUnit } from '@codemirror/language';
import { autocompletion, completionKeymap, closeBrackets, closeBracketsKeymap } from '@codemirror/autocomplete';
import { linter, setDiagnostics, lintKeymap } from '@codemirror/lint';
import { tags } from '@lezer/highlight';
import { mode, complete } from '../gq.js';

const colours = HighlightStyle.define([
  { tag: tags.keyword, color: 'var(--code-keyword)', fontWeight: '600' },
  { tag: tags.typeName, color: 'var(--code-type)' },
  { tag: tags.variableName, color: 'var(--code-variable)' },
  { tag: tags.string, color: 'var(--code-string)' },
  { tag: tags.number, color: 'var(--code-number)' },
  { tag: tags.comment, color: 'var(--text-2)', fontStyle: 'italic' },
  { tag: tags.meta, color: 'var(--code-number)' },
]);

const theme = EditorView.theme({
  '&': { minHeight: '150px', maxHeight: '34vh', fontSize: '14px', color: 'var(--text)', backgroundColor: 'transparent' },
  '.cm-content': { fontFamily: 'var(--mono)', padding: '10px 0', caretColor: 'var(--accent)' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.55', overflow: 'auto' },
  '.cm-gutters': { backgroundColor: 'transparent', color: 'var(--text-3)', border: 'none', paddingLeft: '6px' },
  '.cm-activeLine': { backgroundColor: 'var(--hover)' },
  '.cm-activeLineGutter': { backgroundColor: 'transparent', color: 'var(--text)' },
  '&.cm-focused': { outline: 'none' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': { backgroundColor: 'var(--select) !important' },
  '.cm-cursor': { borderLeftColor: 'var(--accent)', borderLeftWidth: '2px' },
  '.cm-matchingBracket': { backgroundColor: 'var(--select)', outline: 'none' },
  '.cm-tooltip': { backgroundColor: 'var(--raised)', color: 'var(--text)', border: '1px solid var(--line-2)', borderRadius: '8px', boxShadow: 'var(--shadow)', overflow: 'hidden' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--mono)', fontSize: '13px', maxHeight: '16em' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '4px 10px' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': { backgroundColor: 'var(--accent)', color: 'var(--on-accent)' },
  '.cm-completionDetail': { fontStyle: 'normal', opacity: '.75', marginLeft: '1.5em' },
  '.cm-completionInfo': { padding: '6px 10px', maxWidth: '280px', fontFamily: 'var(--sans)', fontSize: '13px' },
  '.cm-diagnostic': { padding: '6px 10px', fontFamily: 'var(--sans)', fontSize: '13px' },
  '.cm-diagnostic-error': { borderLeft: '4px solid var(--bad)' },
  // The library draws its wavy line as a data: picture, which the content policy forbids.
  '.cm-lintRange': { paddingBottom: '0' },
  '.cm-lintRange-error': { backgroundImage: 'none', textDecoration: 'underline wavy var(--bad)', textDecorationSkipInk: 'none', textUnderlineOffset: '3px' },
  '.cm-lintRange-active': { backgroundColor: 'var(--bad-soft)' },
  '.cm-placeholder': { color: 'var(--text-3)' },
});

/**
 * Typing over a selection: left to itself, Chromium patches the lines with inline styles, which the content policy reports.
 * The same handlers run as for any other input.
 */
const typeOver = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { main } = view.state.selection;
    if (event.inputType !== 'insertText' || !event.data || main.empty || view.composing) return false;
    event.preventDefault();
    const insert = () => view.state.update(view.state.replaceSelection(event.data), { userEvent: 'input.type', scrollIntoView: true });
    if (!view.state.facet(EditorView.inputHandler).some(handle => handle(view, main.from, main.to, event.data, insert))) view.dispatch(insert());
    return true;
  },
});

export function createEditor(host, { text, types, onChange, onRun, onCheck }) {
  const root = host.attachShadow({ mode: 'open' });
  const completions = new Compartment();
  const language = StreamLanguage.define(mode);
  const completion = t => autocompletion({ override: [complete(t)], icons: false, activateOnTyping: true });
  const view = new EditorView({
    root, parent: root,
    state: EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(), highlightActiveLineGutter(), highlightActiveLine(), highlightSpecialChars(), drawSelection(), history(), bracketMatching(), closeBrackets(),
        indentUnit.of('  '), EditorState.tabSize.of(2), language, syntaxHighlighting(colours), theme, completions.of(completion(types)),
        placeholder('query q() { match { … } return { … } }'),
        typeOver,
        linter(onCheck, { delay: 600 }),
        // Tab leaves the editor, as everywhere; Ctrl-] and Ctrl-[ indent.
        keymap.of([{ key: 'Mod-Enter', run: () => { onRun(); return true; } }, ...closeBracketsKeymap, ...completionKeymap, ...historyKeymap, ...lintKeymap, ...defaultKeymap]),
        EditorView.updateListener.of(u => { if (u.docChanged) onChange(u.state.doc.toString()); }),
        EditorView.contentAttributes.of({ 'aria-label': 'GQ query. Control Enter runs it.' }),
      ],
    }),
  });
  return {
    view,
    focus: () => view.focus(),
    setText(value) { if (value !== view.state.doc.toString()) view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: value } }); },
    setTypes(t) { view.dispatch({ effects: completions.reconfigure(completion(t)) }); },
    show(diagnostics) { view.dispatch(setDiagnostics(view.state, place(view.state.doc, diagnostics))); },
  };
}

/** Diagnostics of the server, at their places. */
export function place(doc, diagnostics) {
  return diagnostics.filter(d => d.line >= 1 && d.line <= doc.lines).map(d => {
    const line = doc.line(d.line), from = Math.min(line.from + d.column - 1, line.to);
    const length = /^(\$?\w+|"[^"]*")?/.exec(doc.sliceString(from, line.to))[0].length || 1;
    return { from, to: Math.min(from + length, Math.max(from, line.to)), severity: d.severity ?? 'error', source: d.code, message: d.hint ? `${d.message} — ${d.hint}` : d.message };
  });
}

// Saves a text as a file, and copies one. Nothing leaves the browser.
import { toJson } from '../api.js';
import { say } from '../store.js';

export function save(name, type, text) {
  const address = URL.createObjectURL(text instanceof Blob ? text : new Blob([text], { type })), link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

export async function copy(text, what) {
  try { await navigator.clipboard.writeText(text); say(`${what} copied`); return true; }
  catch { say(`The browser does not let the page copy ${what.toLowerCase()}`); return false; }
}

const cell = v => v === null || v === undefined ? '' : typeof v === 'object' ? toJson(v) : String(v);
/** A cell of CSV; one that a spreadsheet would run as a formula is kept as text. */
const quoted = text => /^[=+\-@\t\r]/.test(text) && Number.isNaN(Number(text)) ? `"'${text.replace(/"/g, '""')}"` : /[",\n\r]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;

export const FORMATS = {
  csv: ['text/csv', r => [r.columns, ...r.rows.map(row => r.columns.map(c => cell(row[c])))].map(line => line.map(quoted).join(',')).join('\r\n') + '\r\n'],
  json: ['application/json', r => toJson(r.rows, 2)],
  ndjson: ['application/x-ndjson', r => r.rows.map(row => toJson(row) + '\n').join('')],
};
export const saveRows = (result, format) => save(`${result.query_name || 'rows'}.${format}`, FORMATS[format][0], FORMATS[format][1](result));

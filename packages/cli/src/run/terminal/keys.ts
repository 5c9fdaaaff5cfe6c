/** A key press or paste. */
export type Key = { type: 'text' | 'paste'; text: string } | { type: 'key'; name: KeyName };

export type KeyName =
  | 'enter'
  | 'newline'
  | 'backspace'
  | 'delete'
  | 'left'
  | 'right'
  | 'up'
  | 'down'
  | 'home'
  | 'end'
  | 'word-left'
  | 'word-right'
  | 'delete-word'
  | 'delete-to-start'
  | 'delete-to-end'
  | 'interrupt'
  | 'end-of-input'
  | 'suspend'
  | 'redraw';

const PASTE_START = '\x1b[200~';
const PASTE_END = '\x1b[201~';

const CONTROLS: Readonly<Record<string, KeyName>> = {
  '\r': 'enter',
  '\n': 'enter',
  '\x7f': 'backspace',
  '\b': 'backspace',
  '\x01': 'home',
  '\x02': 'left',
  '\x03': 'interrupt',
  '\x04': 'end-of-input',
  '\x05': 'end',
  '\x06': 'right',
  '\x0b': 'delete-to-end',
  '\x0c': 'redraw',
  '\x0e': 'down',
  '\x10': 'up',
  '\x15': 'delete-to-start',
  '\x17': 'delete-word',
  '\x1a': 'suspend',
};

/** Sequences after `ESC`, `ESC [` or `ESC O`; a modifier makes the arrows move by words. */
const SEQUENCES: Readonly<Record<string, KeyName>> = {
  '[A': 'up',
  '[B': 'down',
  '[C': 'right',
  '[D': 'left',
  '[H': 'home',
  '[F': 'end',
  OA: 'up',
  OB: 'down',
  OC: 'right',
  OD: 'left',
  OH: 'home',
  OF: 'end',
  '[1~': 'home',
  '[3~': 'delete',
  '[4~': 'end',
  '[7~': 'home',
  '[8~': 'end',
  '[1;3C': 'word-right',
  '[1;5C': 'word-right',
  '[1;3D': 'word-left',
  '[1;5D': 'word-left',
  // Shift-Enter and Alt-Enter, in terminals that report them.
  '[13;2u': 'newline',
  '[13;3u': 'newline',
  '[27;2;13~': 'newline',
  '\r': 'newline',
  '\n': 'newline',
  b: 'word-left',
  f: 'word-right',
  '\x7f': 'delete-word',
};

const SEQUENCE = /^\x1b(?:\[[0-?]*[ -/]*[@-~]|O[A-Za-z]|[^[O])/;
/** An incomplete sequence; the rest comes with the next read. A lone escape is ignored. */
const UNFINISHED = /^\x1b(?:\[[0-?]*[ -/]*|O)$/;
const CONTROL = /[\x00-\x1f\x7f]/;

/** Decodes terminal input into keys. Sequences and pastes may be split. */
export class KeyReader {
  #rest = '';
  #isPasting = false;

  read(chunk: string): Key[] {
    const keys: Key[] = [];
    let text = this.#rest + chunk;
    this.#rest = '';
    while (text !== '') {
      if (this.#isPasting) text = this.#readPaste(text, keys);
      else if (text.startsWith(PASTE_START)) {
        this.#isPasting = true;
        text = text.slice(PASTE_START.length);
      } else if (text.startsWith('\x1b')) text = this.#readSequence(text, keys);
      else {
        const at = text.search(CONTROL);
        const length = at === -1 ? text.length : Math.max(at, 1);
        const part = text.slice(0, length);
        const name = at === 0 ? CONTROLS[part] : undefined;
        if (name) keys.push({ type: 'key', name });
        else if (at !== 0) keys.push({ type: 'text', text: part });
        text = text.slice(length);
      }
    }
    return keys;
  }

  #readPaste(text: string, keys: Key[]): string {
    const end = text.indexOf(PASTE_END);
    // The end marker may be split, too.
    const whole = end === -1 ? Math.max(0, text.length - PASTE_END.length + 1) : end;
    if (whole > 0) keys.push({ type: 'paste', text: text.slice(0, whole) });
    if (end === -1) {
      this.#rest = text.slice(whole);
      return '';
    }
    this.#isPasting = false;
    return text.slice(end + PASTE_END.length);
  }

  #readSequence(text: string, keys: Key[]): string {
    const [sequence] = SEQUENCE.exec(text) ?? [];
    if (sequence === undefined) {
      if (UNFINISHED.test(text)) this.#rest = text;
      return this.#rest === '' ? text.slice(1) : '';
    }
    const name = SEQUENCES[sequence.slice(1)];
    if (name) keys.push({ type: 'key', name });
    return text.slice(sequence.length);
  }
}

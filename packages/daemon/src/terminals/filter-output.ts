/**
 * What a program writes to its terminal, reduced to what draws a screen: text, colors, cursor, erasing, scrolling, modes of keys,
 * mouse and paste. A viewer's own terminal must not get the rest: it would set the clipboard and the title (OSC), load data (DCS,
 * APC), move windows, or answer questions as if the user had typed. Sequences may be cut at any place between two calls.
 */
export type OutputFilter = (text: string) => string;

/** Longer parameters belong to no sequence that draws. */
const MAX_SEQUENCE_CHARS = 256;
/** No screen has more columns; some terminals repeat a character as often as they are asked to. */
const MAX_PARAMETER_DIGITS = 5;

/** Finals by what is before them: a private prefix and an intermediate. */
const CSI_FINALS: Readonly<Record<string, string>> = {
  '': '@ABCDEFGHIJKLMPSTXZ`abdefgmrsu',
  '?': 'JK',
  '>': 'mu',
  '<': 'u',
  '=': 'u',
  ' ': 'q',
  '!': 'p',
};
/** Insert mode, line feed mode. Not 2: it locks the keyboard. */
const MODES: ReadonlySet<string> = new Set(['4', '20']);
const PRIVATE_MODES: ReadonlySet<string> = new Set([
  ...['1', '5', '6', '7', '12', '25', '45', '47', '66', '69', '1000', '1002', '1003', '1004', '1005', '1006', '1007'],
  ...['1015', '1016', '1047', '1048', '1049', '2004', '2026'],
]);
/** Cursor saved and restored, tabs, lines up and down, keypad, shifts of character sets. */
const ESCAPES = '78DEHMNO=>no|}~';
const CHARSETS = '()*+-./';
/** A full reset would clear what the user's terminal had before. */
const SOFT_RESET = '\x1b[!p\x1b[2J\x1b[H';

/** Bell, backspace, tab, line ends and shifts draw; the others do not, and ENQ is answered by some terminals. */
const SPECIAL = /[\x00-\x06\x10-\x1f\x7f-\x9f]/g;
const CSI = /^([<=>?]?)([\d;:]*)([ -/]?)([@-~])$/;

type State = 'text' | 'escape' | 'charset' | 'hash' | 'csi' | 'string';

export function createOutputFilter(): OutputFilter {
  let state: State = 'text';
  let sequence = '';
  /** A bell ends an OSC, and no other string. */
  let isOsc = false;

  const begin = (next: State, first = '') => {
    state = next;
    sequence = first;
    return '';
  };
  const finish = (output: string) => {
    state = 'text';
    sequence = '';
    return output;
  };
  const beginString = (osc: boolean) => {
    isOsc = osc;
    return begin('string');
  };
  /** What ends or replaces whatever was begun: escape, cancel, the eight-bit forms. Undefined: it is none of them. */
  const control = (character: string): string | undefined => {
    switch (character) {
      case '\x1b':
        return begin('escape');
      case '\x18':
      case '\x1a':
      case '\x9c':
        return finish('');
      case '\x9b':
        return begin('csi');
      case '\x9d':
        return beginString(true);
      case '\x90':
      case '\x98':
      case '\x9e':
      case '\x9f':
        return beginString(false);
      default:
        return undefined;
    }
  };
  const readEscape = (character: string): string => {
    if (character === '[') return begin('csi');
    if (character === ']') return beginString(true);
    if ('PX^_'.includes(character)) return beginString(false);
    if (character === '#') return begin('hash');
    if (character === 'c') return finish(SOFT_RESET);
    if (CHARSETS.includes(character)) return begin('charset', `\x1b${character}`);
    return finish(ESCAPES.includes(character) ? `\x1b${character}` : '');
  };
  const csi = (character: string): string => {
    if (character < ' ') return '';
    sequence += character;
    if (character < '@') return sequence.length > MAX_SEQUENCE_CHARS ? finish('') : '';
    return finish(readCsi(sequence));
  };

  const step: Readonly<Record<State, (character: string) => string>> = {
    text: (character) => (character < ' ' || (character >= '\x7f' && character <= '\x9f') ? '' : character),
    escape: readEscape,
    charset: (character) => finish(/[0-9A-Za-z<=>%"&`]/.test(character) ? sequence + character : ''),
    hash: (character) => finish(character === '8' ? '\x1b#8' : ''),
    csi,
    string: (character) => (isOsc && character === '\x07' ? finish('') : ''),
  };

  return (text) => {
    let output = '';
    let at = 0;
    while (at < text.length) {
      if (state === 'text') {
        SPECIAL.lastIndex = at;
        const next = SPECIAL.exec(text)?.index ?? text.length;
        output += text.slice(at, next);
        at = next;
        if (at === text.length) break;
      }
      const character = text.charAt(at);
      at += 1;
      output += control(character) ?? step[state](character);
    }
    return output;
  };
}

function readCsi(sequence: string): string {
  const [, prefix = '', parameters = '', intermediate = '', final = ''] = CSI.exec(sequence) ?? [];
  if (final === '' || parameters.split(/[;:]/).some((each) => each.length > MAX_PARAMETER_DIGITS)) return '';
  if ((final === 'h' || final === 'l') && intermediate === '' && (prefix === '' || prefix === '?')) {
    const known = prefix === '' ? MODES : PRIVATE_MODES;
    const kept = parameters.split(';').filter((each) => known.has(each));
    return kept.length === 0 ? '' : `\x1b[${prefix}${kept.join(';')}${final}`;
  }
  // With both, it is a question or a block of the screen.
  if (prefix !== '' && intermediate !== '') return '';
  const finals = CSI_FINALS[prefix + intermediate] ?? '';
  return finals.includes(final) ? `\x1b[${prefix}${parameters}${intermediate}${final}` : '';
}

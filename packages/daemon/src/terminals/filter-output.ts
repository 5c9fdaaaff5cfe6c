/**
 * Reduces a program's terminal output to what draws a screen: text, colors, cursor, erasing, scrolling, and modes of
 * keys, mouse and paste. Viewers' terminals must not receive the rest: it would set the clipboard and the title (OSC),
 * load data (DCS, APC), move windows, or make the terminal reply as if the user had typed. Sequences may be split
 * between calls.
 */
export type OutputFilter = (text: string) => string;

/** No sequence that draws has longer parameters. */
const MAX_SEQUENCE_CHARS = 256;
/** Enough for any number of columns; some terminals repeat a character as often as requested. */
const MAX_PARAMETER_DIGITS = 5;

/** Allowed final bytes by private prefix and intermediate byte. */
const CSI_FINALS: Readonly<Record<string, string>> = {
  '': '@ABCDEFGHIJKLMPSTXZ`abdefgmrsu',
  '?': 'JK',
  '>': 'mu',
  '<': 'u',
  '=': 'u',
  ' ': 'q',
  '!': 'p',
};
/** Insert mode and line feed mode. Not mode 2, which locks the keyboard. */
const MODES: ReadonlySet<string> = new Set(['4', '20']);
const PRIVATE_MODES: ReadonlySet<string> = new Set([
  ...['1', '5', '6', '7', '12', '25', '45', '47', '66', '69', '1000', '1002', '1003', '1004', '1005', '1006', '1007'],
  ...['1015', '1016', '1047', '1048', '1049', '2004', '2026'],
]);
/** Save and restore cursor, tabs, index, keypad, character set shifts. */
const ESCAPES = '78DEHMNO=>no|}~';
const CHARSETS = '()*+-./';
/** Replaces a full reset, which would clear earlier content of the user's terminal. */
const SOFT_RESET = '\x1b[!p\x1b[2J\x1b[H';

/** Controls other than bell, backspace, tab, line ends and shifts do not draw; some terminals reply to ENQ. */
const SPECIAL = /[\x00-\x06\x10-\x1f\x7f-\x9f]/g;
const CSI = /^([<=>?]?)([\d;:]*)([ -/]?)([@-~])$/;

type State = 'text' | 'escape' | 'charset' | 'hash' | 'csi' | 'string';

export function createOutputFilter(): OutputFilter {
  let state: State = 'text';
  let sequence = '';
  /** A bell ends an OSC string only. */
  let isOsc = false;

  const start = (next: State, first = '') => {
    state = next;
    sequence = first;
    return '';
  };
  const finish = (output: string) => {
    state = 'text';
    sequence = '';
    return output;
  };
  const startString = (osc: boolean) => {
    isOsc = osc;
    return start('string');
  };
  /** Handles controls that interrupt any sequence: escape, cancel and the eight-bit forms. Undefined for others. */
  const control = (character: string): string | undefined => {
    switch (character) {
      case '\x1b':
        return start('escape');
      case '\x18':
      case '\x1a':
      case '\x9c':
        return finish('');
      case '\x9b':
        return start('csi');
      case '\x9d':
        return startString(true);
      case '\x90':
      case '\x98':
      case '\x9e':
      case '\x9f':
        return startString(false);
      default:
        return undefined;
    }
  };
  const readEscape = (character: string): string => {
    if (character === '[') return start('csi');
    if (character === ']') return startString(true);
    if ('PX^_'.includes(character)) return startString(false);
    if (character === '#') return start('hash');
    if (character === 'c') return finish(SOFT_RESET);
    if (CHARSETS.includes(character)) return start('charset', `\x1b${character}`);
    return finish(ESCAPES.includes(character) ? `\x1b${character}` : '');
  };
  const csi = (character: string): string => {
    if (character < ' ') return '';
    sequence += character;
    if (character < '@') return sequence.length > MAX_SEQUENCE_CHARS ? finish('') : '';
    return finish(filterCsi(sequence));
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

function filterCsi(sequence: string): string {
  const [, prefix = '', parameters = '', intermediate = '', final = ''] = CSI.exec(sequence) ?? [];
  if (final === '' || parameters.split(/[;:]/).some((each) => each.length > MAX_PARAMETER_DIGITS)) return '';
  if ((final === 'h' || final === 'l') && intermediate === '' && (prefix === '' || prefix === '?')) {
    const known = prefix === '' ? MODES : PRIVATE_MODES;
    const allowed = parameters.split(';').filter((each) => known.has(each));
    return allowed.length === 0 ? '' : `\x1b[${prefix}${allowed.join(';')}${final}`;
  }
  // With both, it is a query or a rectangular operation.
  if (prefix !== '' && intermediate !== '') return '';
  const finals = CSI_FINALS[prefix + intermediate] ?? '';
  return finals.includes(final) ? `\x1b[${prefix}${parameters}${intermediate}${final}` : '';
}

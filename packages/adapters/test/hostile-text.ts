/** Input that may make a pattern backtrack again and again. */
const UNITS = [
  ...[' ', '\t', '\n', '\r', ' \n', '\r\n', 'a', 'a ', 'a.', 'A', '0', '0.', '0 ', '-', '_', '"', "'", '`', '/', '\\'],
  ...[
    '\\"',
    '.',
    ':',
    '=',
    'a=',
    'a:',
    '--a ',
    '[',
    '(',
    '{',
    '<',
    '*',
    '~',
    '@',
    ',',
    '\u001b[',
    '\u001b]',
    'é',
    '日',
  ],
];

/** Roughly the text that each alternative of a pattern matches. */
export function samplesOf({ source }: RegExp): string[] {
  let rest = source.replace(/\(\?<?[=!](?:[^()\\]|\\.)*\)/g, '').replace(/\[(?:[^\]\\]|\\.)*\]/g, sampleOfClass);
  for (let before = ''; before !== rest; ) {
    before = rest;
    // The first alternative represents a group.
    rest = rest.replace(/(?<!\\)\((?:\?(?::|<\w+>))?((?:[^()|\\]|\\.)*)(?:\|(?:[^()\\]|\\.)*)?\)/g, '$1');
  }
  return rest.split(/(?<!\\)\|/).map((branch) =>
    branch
      .replace(/(?<!\\)(?:\{\d+,?\d*\}|[*+?])[?]?/g, '')
      .replace(/(?<!\\)[.]/g, 'a')
      .replace(/(?<!\\)[\^$]|\\b/g, '')
      .replace(/\\(?:x1b|u001b)/g, '\u001b')
      .replace(/\\d/g, '0')
      .replace(/\\[wS]/g, 'a')
      .replace(/\\s/g, ' ')
      .replace(/\\n/g, '\n')
      .replace(/\\(.)/g, '$1'),
  );
}

function sampleOfClass(set: string): string {
  if (set.startsWith('[^')) return 'a';
  const first = /^\[(\\?.)/s.exec(set)?.[1] ?? 'a';
  return /^[.*+?^$()|{}[\]]$/.test(first) ? `\\${first}` : first;
}

export type TextMaker = (length: number) => string;

/** Texts of any length that take a pattern long if it scans any part of them again and again. */
export function hostileTexts(pattern: RegExp): TextMaker[] {
  const samples = samplesOf(pattern).filter((sample) => sample.length > 1);
  // A whole match would return; partial matches are expensive.
  const prefixes = samples.flatMap((sample) =>
    [0.3, 0.5, 0.7, 0.9].map((part) => sample.slice(0, Math.max(1, Math.floor(sample.length * part)))),
  );
  const units = [...new Set([...prefixes, ...samples.map((sample) => sample.slice(0, -1)), ...samples])].slice(0, 40);
  return [
    ...UNITS.map((unit) => filledWith(unit)),
    // Forces a pattern that looks for an end to see that this is not one.
    ...UNITS.map(
      (unit): TextMaker =>
        (length) =>
          `!${filledWith(unit)(length)}\n!`,
    ),
    ...units.map((unit) => filledWith(unit)),
    ...units.map((unit) => filledWith(`${unit} `)),
    ...units.slice(0, 12).flatMap((unit) =>
      [' ', 'a', '0', '"', '\n'].map(
        (more): TextMaker =>
          (length) =>
            unit + filledWith(more)(length),
      ),
    ),
  ];
}

function filledWith(unit: string): TextMaker {
  return (length) => unit.repeat(Math.ceil(length / unit.length)).slice(0, length);
}

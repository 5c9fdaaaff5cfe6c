export interface Paint {
  bold: (text: string) => string;
  dim: (text: string) => string;
  red: (text: string) => string;
  green: (text: string) => string;
  yellow: (text: string) => string;
  cyan: (text: string) => string;
}

const ON_AND_OFF = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
} as const satisfies Record<keyof Paint, readonly [number, number]>;

/** FORCE_COLOR takes precedence, then NO_COLOR, then whether the stream is a terminal. */
export function supportsColor(stream: { isTTY?: boolean }, env: NodeJS.ProcessEnv = process.env): boolean {
  const { FORCE_COLOR, NO_COLOR, TERM } = env;
  if (FORCE_COLOR !== undefined) return FORCE_COLOR !== '0' && FORCE_COLOR !== 'false';
  if (NO_COLOR) return false;
  return stream.isTTY === true && TERM !== 'dumb';
}

export function paint(stream: { isTTY?: boolean }, env?: NodeJS.ProcessEnv): Paint {
  const on = supportsColor(stream, env);
  const style = (name: keyof Paint) => {
    const [start, end] = ON_AND_OFF[name];
    return (text: string) => (on && text !== '' ? `\x1b[${start}m${text}\x1b[${end}m` : text);
  };
  return {
    bold: style('bold'),
    dim: style('dim'),
    red: style('red'),
    green: style('green'),
    yellow: style('yellow'),
    cyan: style('cyan'),
  };
}

import type { Footer } from '../../screen/footer.ts';
import type { Paint } from '../../screen/paint.ts';
import { toOneLine } from '../../screen/plain.ts';
import { columnsOf } from '../../screen/width.ts';
import { StatusLine } from './status-line.ts';
import type { UserTerminal } from './user-terminal.ts';

/** A status row below the output; undefined if the terminal does not support one. */
export function showWaiting(
  footer: Footer,
  person: UserTerminal | undefined,
  name: string,
  style: Paint,
): StatusLine | undefined {
  if (process.env.TERM === 'dumb') return undefined;
  if (!person) footer.forOutput = () => ({ rows: [] });
  return new StatusLine({
    name: toOneLine(name, 40),
    paint: style,
    output: {
      columns: () => columnsOf(process.stderr),
      lastWrite: () => footer.lastWrite,
      show: (row) => {
        if (person) person.status = row;
        else footer.set({ rows: row === undefined ? [] : [row] });
      },
    },
  });
}

import type { Footer } from '../../screen/footer.ts';
import type { Paint } from '../../screen/paint.ts';
import { toOneLine } from '../../screen/plain.ts';
import { columnsOf } from '../../screen/width.ts';
import type { PersonTerminal } from './person-terminal.ts';
import { Waiting } from './waiting.ts';

/** A row below the output that tells what goes on; undefined where the terminal cannot have one. */
export function showWaiting(
  footer: Footer,
  person: PersonTerminal | undefined,
  name: string,
  style: Paint,
): Waiting | undefined {
  if (process.env.TERM === 'dumb') return undefined;
  if (!person) footer.forOutput = () => ({ rows: [] });
  return new Waiting({
    name: toOneLine(name, 40),
    paint: style,
    place: {
      columns: () => columnsOf(process.stderr),
      lastWrite: () => footer.lastWrite,
      show: (row) => {
        if (person) person.status = row;
        else footer.set({ rows: row === undefined ? [] : [row] });
      },
    },
  });
}

import { describe, expect, it } from 'vitest';
import { screenOf } from '../../test/screen-reader.ts';
import { Footer } from './footer.ts';

function terminal(columns: number) {
  let output = '';
  const stream = {
    isTTY: true,
    columns,
    write: (text: string) => {
      output += text.replaceAll('\n', '\r\n');
    },
  };
  const footer = new Footer(stream);
  return { footer, write: (text: string) => footer.write(stream, text), shown: () => screenOf(output, columns) };
}

describe('Footer', () => {
  it('stays below output that continues on its line', () => {
    const { footer, write, shown } = terminal(20);
    footer.set({ rows: ['› typed'], cursor: { row: 0, column: 3 } });
    write('one');
    expect(shown()).toEqual(['one', '› typed']);
    write(' two\nthr');
    write('ee');
    expect(shown()).toEqual(['one two', 'three', '› typed']);
    footer.clear();
    expect(shown()).toEqual(['one two', 'three']);
    write('!\n');
    expect(shown()).toEqual(['one two', 'three!']);
  });

  it.each([5, 7, 10, 40])('leaves output at %i columns unchanged, however it is split', (columns) => {
    const text = 'ab漢字\x1b[1mcdef\x1b[22m\n\n1\tghijklmnopqrstuvwxyzx 漢字漢字漢字漢字\nlast line of it ends here';
    const plain = terminal(columns);
    plain.write(text);
    const { footer, write, shown } = terminal(columns);
    let count = 0;
    for (const piece of text.match(/\x1b\[\d+m|[^\x1b]/gu) ?? []) {
      count += 1;
      footer.set({ rows: Array.from({ length: count % 4 }, (_, row) => `r${row}`) });
      write(piece);
    }
    footer.clear();
    expect(shown()).toEqual(plain.shown());
  });

  it('does not redraw unchanged rows', () => {
    const { footer, shown } = terminal(20);
    footer.set({ rows: ['a'] });
    footer.set({ rows: ['a', 'b'], cursor: { row: 0, column: 1 } });
    footer.set({ rows: ['c'] });
    expect(shown()).toEqual(['c']);
  });

  it('asks for the rows to draw below output', () => {
    const { footer, write, shown } = terminal(20);
    footer.forOutput = () => ({ rows: ['› '] });
    footer.set({ rows: ['waiting', '› '] });
    write('news\n');
    expect(shown()).toEqual(['news', '›']);
  });

  it('leaves no remains when the terminal becomes narrower', () => {
    const wide = 30;
    let columns = wide;
    let output = '';
    const stream = {
      isTTY: true,
      get columns() {
        return columns;
      },
      write: (text: string) => {
        output += text.replaceAll('\n', '\r\n');
      },
    };
    const footer = new Footer(stream);
    footer.write(stream, 'above\nan output line of 28 columns');
    footer.set({ rows: ['a row of twenty-four col', 'another of 21 columns'] });
    // The terminal rewraps its lines.
    output = screenOf(output, wide).join('\r\n');
    columns = 10;
    footer.resize({ rows: ['short'] });
    const remaining = ['above', 'an output', 'line of 28', ' columns'];
    expect(screenOf(output, columns)).toEqual([...remaining, 'short']);
    footer.write(stream, '!\n');
    expect(screenOf(output, columns)).toEqual([...remaining.slice(0, -1), ' columns!', 'short']);
  });
});

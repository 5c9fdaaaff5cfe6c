import { LIMITATIONS } from '@agent-mux/core';
import { CAPABILITY_LABELS, DELIVERY_LABEL } from './capability-labels.ts';
import { type CapabilityRow, capabilityText } from './capability-rows.ts';
import { addHead } from './output.ts';
import { paint } from './screen/paint.ts';
import { widthOf } from './screen/width.ts';
import { outputWidth, wordWrap } from './screen/wrap.ts';

const GAP = 2;
const INDENT = '  ';
/** On a terminal, long values are wrapped so that more agents fit next to each other. */
const VALUE_WIDTH = 16;
/** On terminals up to this width, labels are wrapped at the second width. */
const LABEL_WIDTHS: readonly (readonly [number, number])[] = [
  [59, 20],
  [99, 22],
];

/** One table row: a value per agent after a label or heading. */
interface Line {
  label: string;
  isHead: boolean;
  values: string[];
}

/** Capabilities of modes as columns, as many as fit the terminal; the others in further tables below. */
export function capabilityTable(rows: readonly CapabilityRow[]): string {
  const { bold, dim, green } = paint(process.stdout);
  const tables = blocksOf(rows, outputWidth())
    .map((block) => {
      const lines = linesOf(block);
      const cells = lines.map(({ label, values }) => [label, ...values]);
      return addHead(
        cells,
        (cell, row, column) => {
          if (lines[row]?.isHead) return bold(cell);
          return column === 0 ? cell : cell === '-' ? dim(cell) : cell === 'yes' ? green(cell) : cell;
        },
        { keep: [...(cells[0] ?? []).keys()] },
      );
    })
    .join('\n\n');
  const notes = rows.flatMap(({ agent, mode, limitations }) =>
    limitations.map((one) => `${agent}/${mode}: ${LIMITATIONS[one]}`),
  );
  return notes.length > 0 ? `${tables}\n\n${notes.join('\n')}` : tables;
}

function blocksOf(rows: readonly CapabilityRow[], width: number): CapabilityRow[][] {
  const blocks: CapabilityRow[][] = [];
  for (const row of rows) {
    const last = blocks.at(-1);
    if (last && widthOfBlock([...last, row]) <= width) last.push(row);
    else blocks.push([row]);
  }
  return blocks;
}

function widthOfBlock(block: readonly CapabilityRow[]): number {
  const cells = linesOf(block).map(({ label, values }) => [label, ...values]);
  const columns = [...(cells[0] ?? []).keys()].map((c) => Math.max(...cells.map((row) => widthOf(row[c] ?? ''))));
  return columns.reduce((sum, each) => sum + each + GAP, -GAP);
}

function linesOf(block: readonly CapabilityRow[]): Line[] {
  const isSeen = process.stdout.isTTY;
  const width = outputWidth();
  const labelWidth = LABEL_WIDTHS.find(([most]) => width <= most)?.[1] ?? Number.POSITIVE_INFINITY;
  const head = (label: string, values: string[]): Line => ({ label, values, isHead: true });
  const lines = isSeen
    ? [
        head(
          '',
          block.map(({ agent }) => agent),
        ),
        head(
          '',
          block.map(({ mode }) => mode),
        ),
      ]
    : [
        head(
          '',
          block.map(({ agent, mode }) => `${agent}/${mode}`),
        ),
      ];
  const addLine = (label: string, texts: readonly string[]) => {
    const labelLines = wordWrap(label, labelWidth).map((part) => `${INDENT}${part}`);
    const values = texts.map((text) => (isSeen ? wordWrap(text, VALUE_WIDTH) : [text]));
    const height = Math.max(labelLines.length, ...values.map((parts) => parts.length));
    for (let at = 0; at < height; at += 1) {
      lines.push({ label: labelLines[at] ?? '', values: values.map((parts) => parts[at] ?? ''), isHead: false });
    }
  };
  let group = '';
  for (const [name, label] of labels()) {
    if (label.group !== group) lines.push(head(label.group, []));
    group = label.group;
    addLine(
      label.label,
      block.map(({ capabilities }) => capabilityText(capabilities[name])),
    );
    if (name === 'systemPrompt') {
      addLine(
        DELIVERY_LABEL,
        block.map(({ promptDelivery }) => promptDelivery),
      );
    }
  }
  return lines;
}

type Name = keyof typeof CAPABILITY_LABELS;

function labels(): [Name, (typeof CAPABILITY_LABELS)[Name]][] {
  const names = Object.keys(CAPABILITY_LABELS).filter((name): name is Name => Object.hasOwn(CAPABILITY_LABELS, name));
  return names.map((name) => [name, CAPABILITY_LABELS[name]]);
}

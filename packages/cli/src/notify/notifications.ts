import type { Notification } from '@agent-mux/api';
import { hasFlag, type ParsedArgs } from '../command.ts';
import { withDaemon } from '../daemon/open.ts';
import { EXIT } from '../exit-codes.ts';
import { addHead, print, printInfo, printJson, printNote } from '../output.ts';
import { type Paint, paint } from '../screen/paint.ts';
import { toOneLine } from '../screen/plain.ts';
import { table } from '../screen/table.ts';
import { formatAge } from '../sessions/format.ts';

const COLORS: Partial<Record<Notification['outcome'], keyof Paint>> = {
  sent: 'green',
  failed: 'red',
  unknown: 'yellow',
  dropped: 'dim',
};

export async function listNotifications(args: ParsedArgs): Promise<number> {
  return withDaemon(async (daemon) => {
    const list = await daemon.notifications.list();
    if (hasFlag(args, 'json')) return printJson<'notify list'>(list);
    const style = paint(process.stdout);
    for (const problem of list.problems) printInfo(paint(process.stderr).yellow(problem));
    if (list.targets.length === 0) {
      print('No notification targets.');
      printNote('see docs/notifications.md to configure one; run "amux notify test desktop" to try this desktop');
    } else {
      const rows = list.targets.map(({ name, type, destination }) => [name, type, destination]);
      print(addHead([['TARGET', 'TYPE', 'DESTINATION'], ...rows]));
    }
    if (list.notifications.length === 0) return EXIT.ok;
    const now = Date.now();
    const rows = list.notifications.map(({ createdAt, target, outcome, title, text, error }) => [
      formatAge(createdAt, now),
      target,
      outcome,
      toOneLine([title, ...text.split('\n')].join(' · '), 200),
      toOneLine(error?.message ?? '', 200),
    ]);
    print('');
    return print(
      addHead([['AGE', 'TARGET', 'OUTCOME', 'MESSAGE', ''], ...rows], (cell, row, column) => {
        const color = COLORS[list.notifications[row - 1]?.outcome ?? 'pending'];
        return column === 2 && color ? style[color](cell) : cell;
      }),
    );
  });
}

export async function testTargets(args: ParsedArgs): Promise<number> {
  return withDaemon(async (daemon) => {
    const notifications = await daemon.notifications.test(args.positionals[0]);
    const isFine = notifications.every(({ outcome }) => outcome === 'sent');
    if (hasFlag(args, 'json')) printJson<'notify test'>({ notifications });
    else if (notifications.length === 0)
      print('No notification target to test; see docs/notifications.md to configure one.');
    else {
      const { green, red } = paint(process.stdout);
      const rows = notifications.map(({ target, outcome, error }) => [
        outcome === 'sent' ? '✓' : '✗',
        target,
        outcome === 'sent' ? 'sent' : toOneLine(error?.message ?? outcome, 300),
      ]);
      print(table(rows, (cell, _, column) => (column === 0 ? (cell === '✓' ? green(cell) : red(cell)) : cell)));
    }
    return isFine ? EXIT.ok : EXIT.failure;
  });
}

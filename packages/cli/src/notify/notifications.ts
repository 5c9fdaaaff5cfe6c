import type { Notification } from '@agent-mux/api';
import { type Given, isOn } from '../command.ts';
import { withDaemon } from '../daemon/open.ts';
import { EXIT } from '../exit-codes.ts';
import { addHead, print, printJson, printNote, tell } from '../output.ts';
import { type Paint, paint } from '../screen/paint.ts';
import { toOneLine } from '../screen/plain.ts';
import { table } from '../screen/table.ts';
import { age } from '../sessions/words.ts';

const COLOURS: Partial<Record<Notification['outcome'], keyof Paint>> = {
  sent: 'green',
  failed: 'red',
  unknown: 'yellow',
  dropped: 'dim',
};

export async function listNotifications(given: Given): Promise<number> {
  return withDaemon(async (daemon) => {
    const list = await daemon.notifications.list();
    if (isOn(given, 'json')) return printJson<'notify list'>(list);
    const style = paint(process.stdout);
    for (const problem of list.problems) tell(paint(process.stderr).yellow(problem));
    if (list.targets.length === 0) {
      print('Nobody is told of anything.');
      printNote('docs/notifications.md says how that is set up; amux notify test desktop tries this screen');
    } else {
      const rows = list.targets.map(({ name, type, place }) => [name, type, place]);
      print(addHead([['TARGET', 'BY', 'WHERE'], ...rows]));
    }
    if (list.notifications.length === 0) return EXIT.ok;
    const now = Date.now();
    const rows = list.notifications.map(({ createdAt, target, outcome, title, text, error }) => [
      age(createdAt, now),
      target,
      outcome,
      toOneLine([title, ...text.split('\n')].join(' · '), 200),
      toOneLine(error?.message ?? '', 200),
    ]);
    print('');
    return print(
      addHead([['AGE', 'TARGET', 'OUTCOME', 'WHAT', ''], ...rows], (cell, row, column) => {
        const colour = COLOURS[list.notifications[row - 1]?.outcome ?? 'waiting'];
        return column === 2 && colour ? style[colour](cell) : cell;
      }),
    );
  });
}

export async function testTargets(given: Given): Promise<number> {
  return withDaemon(async (daemon) => {
    const notifications = await daemon.notifications.test(given.words[0]);
    const isFine = notifications.every(({ outcome }) => outcome === 'sent');
    if (isOn(given, 'json')) printJson<'notify test'>({ notifications });
    else if (notifications.length === 0)
      print('There is no target to test: docs/notifications.md says how one is set up.');
    else {
      const { green, red } = paint(process.stdout);
      const rows = notifications.map(({ target, outcome, error }) => [
        outcome === 'sent' ? '✓' : '✗',
        target,
        outcome === 'sent' ? 'was told' : toOneLine(error?.message ?? outcome, 300),
      ]);
      print(table(rows, (cell, _, column) => (column === 0 ? (cell === '✓' ? green(cell) : red(cell)) : cell)));
    }
    return isFine ? EXIT.ok : EXIT.failure;
  });
}

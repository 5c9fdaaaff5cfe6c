import type { Answer, DaemonClient, Request } from '@agent-mux/api';
import { AgentMuxError } from '@agent-mux/core/light';
import { type Given, isOn } from '../command.ts';
import { withDaemon } from '../daemon/open.ts';
import { openRequests } from '../daemon/pages.ts';
import { EXIT } from '../exit-codes.ts';
import { tellFailure } from '../failure.ts';
import { print, printJson, tell } from '../output.ts';
import { paint } from '../screen/paint.ts';
import { shortIds } from '../sessions/words.ts';
import { UsageError } from '../usage-error.ts';
import { chooseRequest } from './choose-request.ts';
import { titleOfRequest } from './event-of.ts';

type Verb = 'approve' | 'deny' | 'answer';

interface Answering {
  verb: Verb;
  /** Of a session or a request. */
  id: string;
  /** One of the session's. */
  within?: string;
  /** The answer to this one; throws where it is none to it. */
  answerTo(request: Request): Answer;
}

const SAID: Readonly<Record<Answer['decision'], string>> = {
  allow: 'Allowed',
  deny: 'Denied',
  answer: 'Answered',
  decline: 'Declined',
};

/** Answers the one request that is meant. Where several may be, they are listed, and nothing is answered. */
export async function answerOne(given: Given, { verb, id, within, answerTo }: Answering): Promise<number> {
  return withDaemon(async (daemon) => {
    const open = await openRequests(daemon);
    const chosen = chooseRequest(open, id, within);
    if (chosen.kind === 'none') throw await explainNone(daemon, id, within);
    if (chosen.kind !== 'one') return listThem(chosen.requests, verb, chosen.kind, isOn(given, 'json'));
    const { request } = chosen;
    const answer = answerTo(request);
    const done = await daemon.requests.answer(request.id, answer);
    if (isOn(given, 'json')) return printJson<Verb>(done);
    return print(`${SAID[answer.decision]}: ${titleOfRequest(request)}`);
  });
}

/** On stderr, so that a program that asked for JSON gets the error alone. */
function listThem(requests: readonly Request[], verb: Verb, kind: 'several' | 'ambiguous', json: boolean): number {
  const { cyan } = paint(process.stderr);
  const ids = shortIds(requests.map(({ id }) => id));
  const message =
    kind === 'several'
      ? `${requests.length} requests are open: say which`
      : 'more than one session or request begins so';
  if (json) throw new UsageError(message, ids.map((id) => `amux ${verb} ${id}`).join(', '));
  tellFailure({ message, exitCode: EXIT.usage });
  requests.forEach((request, at) => {
    tell(`  ${cyan(`amux ${verb} ${ids[at]}`)}  ${titleOfRequest(request)}`);
  });
  return EXIT.usage;
}

async function explainNone(daemon: DaemonClient, id: string, within: string | undefined): Promise<Error> {
  // Throws where there is no such session at all.
  const session = await daemon.sessions.get(id);
  const what = within === undefined ? 'has nothing open' : `has no open request ${within}`;
  return new AgentMuxError('VALIDATION_ERROR', `session ${session.id} ${what}`, {
    hint: 'amux inbox lists all that waits for you',
  });
}

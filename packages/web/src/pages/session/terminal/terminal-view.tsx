import type { Session } from '@agent-mux/api/browser';
import { SquareTerminal } from 'lucide-react';
import { useState } from 'react';
import { useAgent } from '../../../data/agents.ts';
import { CallError, call } from '../../../data/call.ts';
import { takeSession } from '../../../data/rows.ts';
import { Button, Empty } from '../../../parts/small.tsx';
import { TerminalScreen } from './terminal-screen.tsx';
import { whyNot } from './why-not.logic.ts';

/** Until the window says how large it is. */
const FIRST_SIZE = { cols: 100, rows: 30 };

export function TerminalView({ session }: { session: Session }) {
  // While it is being opened there is nobody yet who could be asked for it.
  if (session.origin === 'terminal' && session.activity !== 'spawning')
    return <TerminalScreen key={session.launch} sessionId={session.id} />;
  return <NoTerminal session={session} />;
}

function NoTerminal({ session }: { session: Session }) {
  const { id, agent, parked, isTerminated, origin } = session;
  const detail = useAgent(agent).data;
  const [isBusy, setBusy] = useState(false);
  const [fault, setFault] = useState<Error | null>(null);
  const open = async () => {
    setBusy(true);
    setFault(null);
    try {
      takeSession(await call('openTerminal', { params: { id }, body: FIRST_SIZE }));
    } catch (error) {
      setFault(error instanceof Error ? error : new Error(String(error)));
    } finally {
      setBusy(false);
    }
  };
  if (origin === 'hand') {
    return (
      <Empty icon={<SquareTerminal />} title="It lives in somebody’s own terminal">
        <p className="muted">What it does is told by its hooks. Its screen is where it was started.</p>
      </Empty>
    );
  }
  const reason = detail && whyNot(session, detail);
  if (reason) {
    return (
      <Empty icon={<SquareTerminal />} title="No terminal for this session">
        <p className="muted">{reason}</p>
      </Empty>
    );
  }
  const isOpening = isBusy || origin === 'terminal';
  const isFree = parked || isTerminated;
  return (
    <Empty icon={<SquareTerminal />} title="The agent’s own screen">
      <p className="muted">
        {isFree || isOpening
          ? `${agent} goes on in a terminal of the daemon: type into it here, or with amux attach. Until it has ended there, messages cannot be sent.`
          : 'The session has a process that speaks with agent-mux. Park it first; then it can go on in a terminal.'}
      </p>
      <Button look="next" disabled={isOpening || !isFree || !detail} onClick={() => void open()}>
        <SquareTerminal />
        {isOpening ? 'Opening…' : 'Open terminal'}
      </Button>
      {fault ? (
        <div className="trouble" data-tone="error" role="alert">
          <p>{fault.message}</p>
          {fault instanceof CallError && fault.hint !== undefined ? <p className="muted">{fault.hint}</p> : null}
        </div>
      ) : null}
    </Empty>
  );
}

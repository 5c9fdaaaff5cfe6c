import type { Session } from '@agent-mux/api/browser';
import { SquareTerminal } from 'lucide-react';
import { useState } from 'react';
import { Button, Empty } from '../../../components/primitives.tsx';
import { useAgent } from '../../../data/agents.ts';
import { CallError, call } from '../../../data/call.ts';
import { applySession } from '../../../data/rows.ts';
import { TerminalScreen } from './terminal-screen.tsx';
import { unavailableReason } from './unavailable.logic.ts';

/** Size until the terminal reports its own. */
const INITIAL_SIZE = { cols: 100, rows: 30 };

export function TerminalView({ session }: { session: Session }) {
  // While the session is starting, its terminal cannot be queried yet.
  if (session.origin === 'terminal' && session.activity !== 'spawning')
    return <TerminalScreen key={session.launch} sessionId={session.id} />;
  return <NoTerminal session={session} />;
}

function NoTerminal({ session }: { session: Session }) {
  const { id, agent, parked, isTerminated, origin } = session;
  const detail = useAgent(agent).data;
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Error | null>(null);
  const open = async () => {
    setBusy(true);
    setFailure(null);
    try {
      applySession(await call('openTerminal', { params: { id }, body: INITIAL_SIZE }));
    } catch (error) {
      setFailure(error instanceof Error ? error : new Error(String(error)));
    } finally {
      setBusy(false);
    }
  };
  if (origin === 'unmanaged') {
    return (
      <Empty icon={<SquareTerminal />} title="Running in another terminal">
        <p className="muted">Its hooks report what it does; its screen is where it was started.</p>
      </Empty>
    );
  }
  const reason = detail && unavailableReason(session, detail);
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
    <Empty icon={<SquareTerminal />} title="The agent’s terminal UI">
      <p className="muted">
        {isFree || isOpening
          ? `${agent} continues in a terminal of the daemon. Type into it here or with "amux attach". Messages cannot be sent until it exits.`
          : 'This session is running. Park it first, then open it in a terminal.'}
      </p>
      <Button look="next" disabled={isOpening || !isFree || !detail} onClick={() => void open()}>
        <SquareTerminal />
        {isOpening ? 'Opening…' : 'Open terminal'}
      </Button>
      {failure ? (
        <div className="error-box" data-tone="error" role="alert">
          <p>{failure.message}</p>
          {failure instanceof CallError && failure.hint !== undefined ? <p className="muted">{failure.hint}</p> : null}
        </div>
      ) : null}
    </Empty>
  );
}

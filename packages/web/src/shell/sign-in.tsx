import { KeyRound } from 'lucide-react';
import { Empty } from '../parts/small.tsx';

/** Nobody is signed in. Nothing is asked for here: who may look has a terminal on this machine. */
export function SignIn() {
  const wasUsed = new URLSearchParams(window.location.search).get('link') === 'used';
  return (
    <main className="sign-in">
      <Empty
        icon={<KeyRound aria-hidden />}
        title={wasUsed ? 'This link was used before, or is too old' : 'This browser is not signed in'}
      >
        <p>Run this in a terminal on the machine of the daemon:</p>
        <pre className="command">amux open</pre>
        <p className="muted">It opens a link that signs this browser in. A link works once, within five minutes.</p>
      </Empty>
    </main>
  );
}

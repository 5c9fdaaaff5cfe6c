import { KeyRound } from 'lucide-react';
import { useEffect } from 'react';
import { Empty } from '../components/primitives.tsx';
import { loginFailure, rememberWanted } from '../data/login.ts';

/** Shown when not signed in. It asks for no password: users who may sign in have a terminal on this machine. */
export function SignIn() {
  useEffect(rememberWanted, []);
  return (
    <main className="sign-in">
      <Empty icon={<KeyRound aria-hidden />} title={loginFailure() ?? 'This browser is not signed in'}>
        <p>Run this in a terminal on the daemon’s machine:</p>
        <pre className="command">amux open</pre>
        <p className="muted">
          It opens a link that signs in this browser and returns to this page. A link works once, within five minutes.
        </p>
      </Empty>
    </main>
  );
}

import { KeyRound } from 'lucide-react';
import { useEffect } from 'react';
import { loginFailure, rememberWanted } from '../data/login.ts';
import { Empty } from '../parts/small.tsx';

/** Shown where no one is signed in. It asks for nothing: users who may sign in have a terminal on this machine. */
export function SignIn() {
  useEffect(rememberWanted, []);
  return (
    <main className="sign-in">
      <Empty icon={<KeyRound aria-hidden />} title={loginFailure() ?? 'This browser is not signed in'}>
        <p>Run this in a terminal on the machine of the daemon:</p>
        <pre className="command">amux open</pre>
        <p className="muted">
          It opens a link that signs this browser in and leads back to this page. A link works once, within five
          minutes.
        </p>
      </Empty>
    </main>
  );
}

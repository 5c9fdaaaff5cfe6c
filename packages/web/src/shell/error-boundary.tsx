import { Component, type ReactNode } from 'react';
import { Button, Empty } from '../components/primitives.tsx';
import { onReconnect } from '../data/rows.ts';

/** Keeps the rest of the app working when a page fails. */
export class ErrorBoundary extends Component<{ children: ReactNode }, { error: unknown }> {
  override state: { error: unknown } = { error: undefined };

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  /** Reloads after a module failed to load while the daemon was down, since browsers never retry a failed module. */
  override componentDidCatch(error: unknown) {
    if (error instanceof TypeError && /import|module/i.test(error.message)) onReconnect(() => window.location.reload());
  }

  override render() {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    return (
      <Empty title="Something went wrong">
        <p className="mono">{error instanceof Error ? error.message : String(error)}</p>
        <p className="muted">Your sessions are not affected.</p>
        <div className="empty-actions">
          <Button look="next" onClick={() => window.location.reload()}>
            Reload
          </Button>
        </div>
      </Empty>
    );
  }
}

import { X } from 'lucide-react';
import { type ReactNode, useEffect, useId, useRef } from 'react';
import { IconButton } from './small.tsx';

interface DialogProps {
  title: string;
  /** Said to screen readers alone. */
  hideTitle?: boolean;
  size?: 'small' | 'medium' | 'large';
  onClose(): void;
  children: ReactNode;
}

/** The browser's own dialog: it keeps the focus inside, gives it back, and closes on Escape. */
export function Dialog({ title, hideTitle = false, size = 'medium', onClose, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    const dialog = element.current;
    dialog?.showModal();
    // The browser would begin with the button that closes it.
    dialog?.querySelector<HTMLElement>('input, textarea, select')?.focus();
    return () => dialog?.close();
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it; a click beside it does the same.
    <dialog
      ref={element}
      className="dialog"
      data-size={size}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => {
        if (event.target === element.current) onClose();
      }}
    >
      <div className="dialog-body">
        <header className={hideTitle ? 'hidden-text' : 'dialog-head'}>
          <h2 id={titleId}>{title}</h2>
          {hideTitle ? null : (
            <IconButton label="Close" onClick={onClose}>
              <X />
            </IconButton>
          )}
        </header>
        {children}
      </div>
    </dialog>
  );
}

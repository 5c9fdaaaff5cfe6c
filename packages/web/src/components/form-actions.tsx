import type { ReactNode } from 'react';
import { Button } from './primitives.tsx';

interface FormActionsProps {
  /** Label of the submit button. */
  label: string;
  isDisabled?: boolean;
  onCancel(): void;
  /** Shown before both buttons. */
  children?: ReactNode;
}

/** Cancel and submit buttons of a form in a dialog. */
export function FormActions({ label, isDisabled = false, onCancel, children }: FormActionsProps) {
  return (
    <div className="form-actions">
      {children}
      <Button onClick={onCancel}>Cancel</Button>
      <Button look="next" type="submit" disabled={isDisabled}>
        {label}
      </Button>
    </div>
  );
}

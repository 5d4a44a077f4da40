import type { ReactNode } from 'react';
import { Field } from './field.tsx';
import { Problem } from './problem.tsx';

type NewCredentialProps = {
  readonly name: string;
  readonly onName: (name: string) => void;
  /** What else is chosen. */
  readonly choices: ReactNode;
  readonly action: string;
  readonly making: { readonly isPending: boolean; readonly error: Error | null };
  readonly onMake: () => void;
  /** Shows what was made. */
  readonly children: ReactNode;
};

/** The form that makes a secret with a name. */
export function NewCredential({ name, onName, choices, action, making, onMake, children }: NewCredentialProps) {
  return (
    <form
      className="inline-form"
      onSubmit={(event) => {
        event.preventDefault();
        onMake();
      }}
    >
      <Field
        label="Name"
        required
        maxLength={100}
        autoComplete="off"
        placeholder="nightly build"
        value={name}
        onChange={({ target }) => onName(target.value)}
      />
      {choices}
      <button type="submit" className="strong" disabled={making.isPending}>
        {action}
      </button>
      {making.error ? <Problem error={making.error} /> : null}
      {children}
    </form>
  );
}

import type { ReactNode } from 'react';
import { ErrorNotice } from './error-notice.tsx';
import { Field } from './field.tsx';

type NewCredentialFormProps = {
  readonly name: string;
  readonly onNameChange: (name: string) => void;
  readonly extraFields: ReactNode;
  readonly submitLabel: string;
  readonly creation: { readonly isPending: boolean; readonly error: Error | null };
  readonly onCreate: () => void;
  readonly children: ReactNode;
};

/** A form that creates a named credential. `children` display the new credential. */
export function NewCredentialForm({
  name,
  onNameChange,
  extraFields,
  submitLabel,
  creation,
  onCreate,
  children,
}: NewCredentialFormProps) {
  return (
    <form
      className="inline-form"
      onSubmit={(event) => {
        event.preventDefault();
        onCreate();
      }}
    >
      <Field
        label="Name"
        required
        maxLength={100}
        autoComplete="off"
        placeholder="nightly build"
        value={name}
        onChange={({ target }) => onNameChange(target.value)}
      />
      {extraFields}
      <button type="submit" className="strong" disabled={creation.isPending}>
        {submitLabel}
      </button>
      {creation.error ? <ErrorNotice error={creation.error} /> : null}
      {children}
    </form>
  );
}

import { Field } from '../parts/field.tsx';

/** What a new account is made of. */
export type Account = { readonly name: string; readonly email: string; readonly password: string };
/** None of it yet. */
export const noAccount: Account = { name: '', email: '', password: '' };

type AccountFieldsProps = {
  readonly account: Account;
  readonly onChange: (account: Account) => void;
  /** An invitation may be for one address. */
  readonly fixedEmail?: string | null;
};

/** Name, email, password. */
export function AccountFields({ account, onChange, fixedEmail }: AccountFieldsProps) {
  const set = (change: Partial<Account>): void => onChange({ ...account, ...change });
  return (
    <>
      <Field
        label="Your name"
        autoComplete="name"
        required
        maxLength={100}
        value={account.name}
        onChange={(event) => set({ name: event.target.value })}
      />
      <Field
        label="Email"
        type="email"
        autoComplete="username"
        required
        readOnly={Boolean(fixedEmail)}
        value={fixedEmail ?? account.email}
        onChange={(event) => set({ email: event.target.value })}
      />
      <Field
        label="Password"
        type="password"
        autoComplete="new-password"
        required
        minLength={12}
        hint="At least 12 characters; a few words in a row are good."
        value={account.password}
        onChange={(event) => set({ password: event.target.value })}
      />
    </>
  );
}

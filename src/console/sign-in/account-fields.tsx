import { Field } from '../components/field.tsx';

export type NewAccount = { readonly name: string; readonly email: string; readonly password: string };
export const emptyAccount: NewAccount = { name: '', email: '', password: '' };

type AccountFieldsProps = {
  readonly account: NewAccount;
  readonly onChange: (account: NewAccount) => void;
  /** The address that an invitation is limited to. */
  readonly fixedEmail?: string | null;
};

export function AccountFields({ account, onChange, fixedEmail }: AccountFieldsProps) {
  const update = (changes: Partial<NewAccount>): void => onChange({ ...account, ...changes });
  return (
    <>
      <Field
        label="Your name"
        autoComplete="name"
        required
        maxLength={100}
        value={account.name}
        onChange={(event) => update({ name: event.target.value })}
      />
      <Field
        label="Email"
        type="email"
        autoComplete="username"
        required
        readOnly={Boolean(fixedEmail)}
        value={fixedEmail ?? account.email}
        onChange={(event) => update({ email: event.target.value })}
      />
      <Field
        label="Password"
        type="password"
        autoComplete="new-password"
        required
        minLength={12}
        hint="At least 12 characters. Several random words work well."
        value={account.password}
        onChange={(event) => update({ password: event.target.value })}
      />
    </>
  );
}

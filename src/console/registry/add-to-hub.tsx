import { useState } from 'react';
import { useLocation } from 'wouter';
import type { CreateHubConnectionRequest, Hub } from '../../contract/hubs/hubs-api.ts';
import type { RegistryServer } from '../../contract/registry/registry-api.ts';
import {
  buildConnectionRequest,
  listRemoteOffers,
  type RemoteInput,
  type RemoteOffer,
  toConnectionName,
} from '../../contract/registry/remote-connection.ts';
import { Dialog } from '../components/dialog.tsx';
import { DialogActions } from '../components/dialog-actions.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { Field } from '../components/field.tsx';
import { Select } from '../components/select.tsx';
import { toDraftDefaults } from '../hub/connections/connection-draft.ts';
import { NewConnection } from '../hub/connections/new-connection.tsx';
import { hubPath } from '../paths.ts';

type AddToHubProps = { readonly server: RegistryServer; readonly hubs: readonly Hub[]; readonly onClose: () => void };

/** Asks for the hub and the inputs of the server, then continues in the form for a new connection. */
export function AddToHub({ server, hubs, onClose }: AddToHubProps) {
  const [, navigate] = useLocation();
  const [selection, setSelection] = useState<{ hub: string; connection: CreateHubConnectionRequest }>();
  if (!selection) return <ServerInputForm server={server} hubs={hubs} onClose={onClose} onSubmit={setSelection} />;
  const { hub, connection } = selection;
  return (
    <NewConnection
      hub={hub}
      defaults={toDraftDefaults(connection)}
      onClose={onClose}
      onAdded={() => navigate(hubPath(hub, 'connections'))}
    />
  );
}

type ServerInputFormProps = AddToHubProps & {
  readonly onSubmit: (chosen: { hub: string; connection: CreateHubConnectionRequest }) => void;
};

function ServerInputForm({ server, hubs, onClose, onSubmit }: ServerInputFormProps) {
  const offers = listRemoteOffers(server);
  const [hub, setHub] = useState(hubs[0]?.slug ?? '');
  const [index, setIndex] = useState('0');
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const [problems, setProblems] = useState<readonly { readonly key: string; readonly problem: string }[]>([]);
  const offer = offers[Number(index)];
  const submit = (): void => {
    if (!offer) return;
    const result = buildConnectionRequest(offer, { name: toConnectionName(server.name), values });
    if (result.connection) onSubmit({ hub, connection: result.connection });
    else setProblems(result.problems);
  };
  return (
    <Dialog title={`Add ${server.title ?? server.name}`} onClose={onClose}>
      {offer ? (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            submit();
          }}
        >
          <Select label="Hub" value={hub} options={hubs.map(({ slug, name }) => [slug, name])} onSelect={setHub} />
          {offers.length > 1 ? (
            <Select
              label="Endpoint"
              value={index}
              options={offers.map((candidate, position) => [String(position), formatOffer(candidate, position)])}
              onSelect={setIndex}
            />
          ) : null}
          <p className="command">
            <code>{offer.url}</code>
          </p>
          {offer.inputs.map((input) => (
            <ServerInputField
              key={`${index} ${input.key}`}
              input={input}
              value={values[input.key] ?? ''}
              problem={problems.find(({ key }) => key === input.key)?.problem}
              onWrite={(value) => setValues({ ...values, [input.key]: value })}
            />
          ))}
          {offer.problem === undefined ? null : (
            <p className="help">
              <span>It cannot be connected: {offer.problem}.</span>
            </p>
          )}
          <DialogActions onClose={onClose} isDisabled={offer.problem !== undefined}>
            Continue
          </DialogActions>
        </form>
      ) : (
        <EmptyState title="No hub can connect to it">
          <p>It has no endpoint of a type that hubs support.</p>
        </EmptyState>
      )}
    </Dialog>
  );
}

function formatOffer({ url, header }: RemoteOffer, position: number): string {
  const host = URL.canParse(url) ? new URL(url).host : url;
  return `${position + 1}: ${header ? `with ${header.name}` : 'without a credential'}, ${host}`;
}

type ServerInputFieldProps = {
  readonly input: RemoteInput;
  readonly value: string;
  readonly problem: string | undefined;
  readonly onWrite: (value: string) => void;
};

function ServerInputField({ input, value, problem, onWrite }: ServerInputFieldProps) {
  const { label, description, required, secret, placeholder, fallback, choices } = input;
  if (choices.length > 0)
    return (
      <Select
        label={label}
        value={value}
        options={[['', fallback ?? 'choose…'], ...choices.map((choice) => [choice, choice] as const)]}
        onSelect={onWrite}
      />
    );
  return (
    <Field
      label={label}
      hint={problem === undefined ? description : `${label} ${problem}. ${description ?? ''}`}
      type={secret ? 'password' : 'text'}
      required={required && fallback === undefined}
      placeholder={placeholder ?? fallback}
      autoComplete="off"
      spellCheck={false}
      aria-invalid={problem !== undefined}
      value={value}
      onChange={({ target }) => onWrite(target.value)}
    />
  );
}

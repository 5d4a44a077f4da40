import { useState } from 'react';
import { useLocation } from 'wouter';
import type { Hub, HubConnectionNew } from '../../contract/hub-api.ts';
import type { RegistryServer } from '../../contract/registry-api.ts';
import {
  connectionFrom,
  connectionNameFor,
  type RemoteInput,
  type RemoteOffer,
  remoteOffers,
} from '../../contract/registry-remote.ts';
import { draftFrom } from '../hub/connection-draft.ts';
import { NewConnection } from '../hub/new-connection.tsx';
import { Choice } from '../parts/choice.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Empty } from '../parts/empty.tsx';
import { Field } from '../parts/field.tsx';
import { hubPath } from '../shell/paths.ts';

type AddProps = { readonly server: RegistryServer; readonly hubs: readonly Hub[]; readonly onClose: () => void };

/** Asks for the hub and for what the server wants to know, then goes on as with an address that somebody typed. */
export function AddToHub({ server, hubs, onClose }: AddProps) {
  const [, go] = useLocation();
  const [chosen, setChosen] = useState<{ hub: string; connection: HubConnectionNew }>();
  if (!chosen) return <Answers server={server} hubs={hubs} onClose={onClose} onAnswered={setChosen} />;
  const { hub, connection } = chosen;
  return (
    <NewConnection
      hub={hub}
      known={draftFrom(connection)}
      onClose={onClose}
      onAdded={() => go(hubPath(hub, 'connections'))}
    />
  );
}

type AnswersProps = AddProps & {
  readonly onAnswered: (chosen: { hub: string; connection: HubConnectionNew }) => void;
};

function Answers({ server, hubs, onClose, onAnswered }: AnswersProps) {
  const offers = remoteOffers(server);
  const [hub, setHub] = useState(hubs[0]?.slug ?? '');
  const [index, setIndex] = useState('0');
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const [problems, setProblems] = useState<readonly { readonly key: string; readonly problem: string }[]>([]);
  const offer = offers[Number(index)];
  const answer = (): void => {
    if (!offer) return;
    const made = connectionFrom(offer, { name: connectionNameFor(server.name), values });
    if (made.connection) onAnswered({ hub, connection: made.connection });
    else setProblems(made.problems);
  };
  return (
    <Dialog title={`Add ${server.title ?? server.name}`} onClose={onClose}>
      {offer ? (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            answer();
          }}
        >
          <Choice label="Hub" value={hub} options={hubs.map(({ slug, name }) => [slug, name])} onChoose={setHub} />
          {offers.length > 1 ? (
            <Choice
              label="Way in"
              value={index}
              options={offers.map((one, at) => [String(at), wayText(one, at)])}
              onChoose={setIndex}
            />
          ) : null}
          <p className="command">
            <code>{offer.url}</code>
          </p>
          {offer.inputs.map((input) => (
            <InputField
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
          <footer className="dialog-foot">
            <button type="button" onClick={onClose}>
              Do not add
            </button>
            <button type="submit" className="strong" disabled={offer.problem !== undefined}>
              Go on
            </button>
          </footer>
        </form>
      ) : (
        <Empty title="No hub can reach it">
          <p>It names no address of a kind that hubs connect to.</p>
        </Empty>
      )}
    </Dialog>
  );
}

function wayText({ url, header }: RemoteOffer, at: number): string {
  const host = URL.canParse(url) ? new URL(url).host : url;
  return `${at + 1}: ${header ? `with ${header.name}` : 'by its address alone'}, ${host}`;
}

type InputProps = {
  readonly input: RemoteInput;
  readonly value: string;
  readonly problem: string | undefined;
  readonly onWrite: (value: string) => void;
};

function InputField({ input, value, problem, onWrite }: InputProps) {
  const { label, description, required, secret, placeholder, fallback, choices } = input;
  if (choices.length > 0)
    return (
      <Choice
        label={label}
        value={value}
        options={[['', fallback ?? 'choose…'], ...choices.map((one) => [one, one] as const)]}
        onChoose={onWrite}
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

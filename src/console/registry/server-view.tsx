import { useState } from 'react';
import { Link, useSearchParams } from 'wouter';
import type { RegistryEntry } from '../../contract/registry-api.ts';
import { useHubs } from '../hub/current-hub.ts';
import { Loaded } from '../hub/loaded.tsx';
import { Ago } from '../parts/ago.tsx';
import { Choice } from '../parts/choice.tsx';
import { CopyButton } from '../parts/copy-button.tsx';
import { Empty } from '../parts/empty.tsx';
import { AddToHub } from './add-to-hub.tsx';
import { RemoteView } from './remote-view.tsx';
import { statusOf, useVersions } from './use-registry.ts';

/** One published server: its versions, and how it is reached. */
export function ServerView({ name }: { name: string }) {
  const query = useVersions(name);
  const [search, setSearch] = useSearchParams();
  const back = search.get('search');
  return (
    <>
      <p>
        <Link href={back === null ? '/registry' : `/registry?${new URLSearchParams({ search: back })}`}>
          ← All servers
        </Link>
      </p>
      <Loaded query={query}>
        {({ servers }) => {
          const wanted = search.get('version');
          const entry = servers.find(({ server }) => server.version === wanted) ?? servers[0];
          const choose = (version: string): void =>
            setSearch((before) => {
              before.set('version', version);
              return before;
            });
          return entry ? (
            <Version key={entry.server.version} entry={entry} all={servers} onChoose={choose} />
          ) : (
            <Empty title="It has no version" />
          );
        }}
      </Loaded>
    </>
  );
}

type VersionProps = {
  readonly entry: RegistryEntry;
  readonly all: readonly RegistryEntry[];
  readonly onChoose: (version: string) => void;
};

function Version({ entry, all, onChoose }: VersionProps) {
  const { server } = entry;
  const { status, statusMessage, publishedAt, isLatest } = statusOf(entry);
  const { remotes = [], packages = [] } = server;
  return (
    <>
      <h1>{server.title ?? server.name}</h1>
      <p>
        <code>{server.name}</code> <CopyButton text={server.name} label="Copy name" />
      </p>
      <p className="told-text">{server.description}</p>
      {status === 'active' ? null : (
        <p className="help">
          <span>
            This version is {status}
            {statusMessage === undefined ? '' : `: ${statusMessage}`}
          </span>
        </p>
      )}
      <div className="bar">
        <Choice
          label="Version"
          value={server.version}
          options={all.map((one) => [one.server.version, versionText(one)])}
          onChoose={onChoose}
        />
        <span className="faint">
          published <Ago at={publishedAt} />
          {isLatest ? ', the latest' : ''}
          <Elsewhere server={server} />
        </span>
      </div>
      <Add server={server} isDeleted={status === 'deleted'} />
      {remotes.map((remote) => (
        <RemoteView key={`${remote.type} ${remote.url}`} name={server.name} remote={remote} />
      ))}
      {packages.map(({ registryType, identifier, version }) => (
        <p key={identifier} className="faint">
          Also to be run as a program: {registryType} <code>{identifier}</code> {version}
        </p>
      ))}
    </>
  );
}

function versionText(entry: RegistryEntry): string {
  const { status, isLatest } = statusOf(entry);
  return `${entry.server.version}${isLatest ? ', latest' : ''}${status === 'active' ? '' : `, ${status}`}`;
}

/** Publishers write these addresses: only the web's are made links. */
function Elsewhere({ server: { websiteUrl, repository } }: Pick<RegistryEntry, 'server'>) {
  const links = [
    [websiteUrl, 'website'],
    [repository?.url, 'source'],
  ] as const;
  return links.map(([url, text]) =>
    url !== undefined && /^https:\/\//.test(url) ? (
      <span key={text}>
        ,{' '}
        <a href={url} rel="noreferrer noopener nofollow" target="_blank">
          {text}
        </a>
      </span>
    ) : null,
  );
}

function Add({ server, isDeleted }: { server: RegistryEntry['server']; isDeleted: boolean }) {
  const [adding, setAdding] = useState(false);
  const { data: hubs = [] } = useHubs();
  const owned = hubs.filter(({ role }) => role === 'owner');
  if ((server.remotes ?? []).length === 0)
    return <p className="faint">It is not reached over the network, so no hub can connect it.</p>;
  if (owned.length === 0)
    return (
      <p className="faint">
        Owners of a hub add it to their hub. <Link href="/hubs">Your hubs</Link>
      </p>
    );
  return (
    <>
      <p className="actions">
        <button type="button" className="strong" disabled={isDeleted} onClick={() => setAdding(true)}>
          Add to a hub…
        </button>
      </p>
      {adding ? <AddToHub server={server} hubs={owned} onClose={() => setAdding(false)} /> : null}
    </>
  );
}

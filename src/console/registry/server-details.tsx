import { useState } from 'react';
import { Link, useSearchParams } from 'wouter';
import type { RegistryEntry } from '../../contract/registry/registry-api.ts';
import { CopyButton } from '../components/copy-button.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { RelativeTime } from '../components/relative-time.tsx';
import { Select } from '../components/select.tsx';
import { useHubs } from '../hub/current-hub.ts';
import { QueryContent } from '../hub/query-content.tsx';
import { AddToHub } from './add-to-hub.tsx';
import { RemoteEndpoint } from './remote-endpoint.tsx';
import { readRegistryStatus, useServerVersions } from './use-registry.ts';

export function ServerDetails({ name }: { name: string }) {
  const query = useServerVersions(name);
  const [search, setSearch] = useSearchParams();
  const previousSearch = search.get('search');
  return (
    <>
      <p>
        <Link
          href={previousSearch === null ? '/registry' : `/registry?${new URLSearchParams({ search: previousSearch })}`}
        >
          ← All servers
        </Link>
      </p>
      {query.data ? null : <h1>{name}</h1>}
      <QueryContent query={query}>
        {({ servers }) => {
          const selectedVersion = search.get('version');
          const entry = servers.find(({ server }) => server.version === selectedVersion) ?? servers[0];
          const choose = (version: string): void =>
            setSearch((params) => {
              params.set('version', version);
              return params;
            });
          return entry ? (
            <ServerVersion key={entry.server.version} entry={entry} versions={servers} onChoose={choose} />
          ) : (
            <EmptyState title="No versions" isPage />
          );
        }}
      </QueryContent>
    </>
  );
}

type ServerVersionProps = {
  readonly entry: RegistryEntry;
  readonly versions: readonly RegistryEntry[];
  readonly onChoose: (version: string) => void;
};

function ServerVersion({ entry, versions, onChoose }: ServerVersionProps) {
  const { server } = entry;
  const { status, statusMessage, publishedAt, isLatest } = readRegistryStatus(entry);
  const { remotes = [], packages = [] } = server;
  return (
    <>
      <h1>{server.title ?? server.name}</h1>
      <p>
        <code>{server.name}</code> <CopyButton text={server.name} label="Copy name" />
      </p>
      <p className="preserve-lines">{server.description}</p>
      {status === 'active' ? null : (
        <p className="help">
          <span>
            This version is {status}
            {statusMessage === undefined ? '' : `: ${statusMessage}`}
          </span>
        </p>
      )}
      <div className="bar">
        <Select
          label="Version"
          value={server.version}
          options={versions.map((candidate) => [candidate.server.version, formatVersion(candidate)])}
          onSelect={onChoose}
        />
        <span className="faint">
          published <RelativeTime timestamp={publishedAt} />
          {isLatest ? ', the latest' : ''}
          <ExternalLinks server={server} />
        </span>
      </div>
      <AddServerButton server={server} isDeleted={status === 'deleted'} />
      {remotes.map((remote) => (
        <RemoteEndpoint key={`${remote.type} ${remote.url}`} name={server.name} remote={remote} />
      ))}
      {packages.map(({ registryType, identifier, version }) => (
        <p key={identifier} className="faint">
          Also available as a package: {registryType} <code>{identifier}</code> {version}
        </p>
      ))}
    </>
  );
}

function formatVersion(entry: RegistryEntry): string {
  const { status, isLatest } = readRegistryStatus(entry);
  return `${entry.server.version}${isLatest ? ', latest' : ''}${status === 'active' ? '' : `, ${status}`}`;
}

/** Publishers choose these URLs, so only https URLs become links. */
function ExternalLinks({ server: { websiteUrl, repository } }: Pick<RegistryEntry, 'server'>) {
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

function AddServerButton({ server, isDeleted }: { server: RegistryEntry['server']; isDeleted: boolean }) {
  const [isAdding, setIsAdding] = useState(false);
  const { data: hubs = [] } = useHubs();
  const owned = hubs.filter(({ role }) => role === 'owner');
  if ((server.remotes ?? []).length === 0)
    return <p className="faint">It has no network endpoint, so hubs cannot connect to it.</p>;
  if (owned.length === 0)
    return (
      <p className="faint">
        Only owners of a hub can add it. <Link href="/hubs">Your hubs</Link>
      </p>
    );
  return (
    <>
      <p className="actions">
        <button type="button" className="strong" disabled={isDeleted} onClick={() => setIsAdding(true)}>
          Add to a hub…
        </button>
      </p>
      {isAdding ? <AddToHub server={server} hubs={owned} onClose={() => setIsAdding(false)} /> : null}
    </>
  );
}

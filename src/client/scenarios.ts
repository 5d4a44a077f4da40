import type {
  DeletedScenario,
  ImportScenarioRequest,
  ImportScenarioResponse,
  RenameScenarioRequest,
  RestoreScenarioRequest,
  ScenarioDocument,
  ScenarioEntry,
  WriteScenarioRequest,
} from '../contract/api.ts';
import type { Quarantine, SetQuarantineRequest } from '../contract/quarantines-api.ts';
import { VpError } from '../errors/vp-error.ts';
import { apiPath, type CallOptions, createPageTypeGuard, type Page, type PageParams } from './transport/api-call.ts';
import { createObjectGuard } from './transport/json-response.ts';
import { readPages } from './transport/pages.ts';
import type { Transport } from './transport/transport.ts';

/** `path`: only scenarios that send a request to a path that begins so. */
type ScenarioFilter = { readonly path?: string | undefined };

export type ScenariosClient = {
  list(instance: string, page?: PageParams & ScenarioFilter, options?: CallOptions): Promise<Page<ScenarioEntry>>;
  /** All pages. */
  listAll(instance: string, options?: CallOptions & ScenarioFilter): Promise<ScenarioEntry[]>;
  /** Deleted scenarios with their last revisions; all pages. */
  listDeleted(instance: string, options?: CallOptions & ScenarioFilter): Promise<DeletedScenario[]>;
  get(instance: string, scenario: string, revision?: number, options?: CallOptions): Promise<ScenarioDocument>;
  /** Newest first. */
  listRevisions(instance: string, scenario: string, options?: CallOptions): Promise<readonly ScenarioEntry[]>;
  write(
    instance: string,
    scenario: string,
    input: WriteScenarioRequest,
    options?: CallOptions,
  ): Promise<ScenarioDocument>;
  /** `ifRevision` refuses unless the catalogue has that revision. */
  remove(
    instance: string,
    scenario: string,
    options?: CallOptions & { ifRevision?: number | undefined },
  ): Promise<void>;
  rename(
    instance: string,
    scenario: string,
    input: RenameScenarioRequest,
    options?: CallOptions,
  ): Promise<ScenarioDocument>;
  /** Also restores a deleted scenario. */
  restore(
    instance: string,
    scenario: string,
    input: RestoreScenarioRequest,
    options?: CallOptions,
  ): Promise<ScenarioDocument>;
  /** Writes a file of a folder unless that would overwrite a change of the catalogue. */
  import(
    instance: string,
    scenario: string,
    input: ImportScenarioRequest,
    options?: CallOptions,
  ): Promise<ImportScenarioResponse>;
};

/** Scenarios whose failures do not count for a while. */
export type QuarantinesClient = {
  /** Those that end first come first. */
  list(instance: string, options?: CallOptions): Promise<readonly Quarantine[]>;
  /** Replaces an earlier one. */
  set(instance: string, scenario: string, input: SetQuarantineRequest, options?: CallOptions): Promise<Quarantine>;
  release(instance: string, scenario: string, options?: CallOptions): Promise<void>;
};

export function createQuarantinesClient({ json, noContent }: Transport): QuarantinesClient {
  const isPage = createPageTypeGuard<Quarantine>();
  const isQuarantine = createObjectGuard<Quarantine>('scenario_id', 'until', 'reason');
  const toPath = (instance: string, scenario: string) =>
    apiPath('instances', instance, 'scenarios', scenario, 'quarantine');
  return {
    list: async (instance, options) =>
      (await json({ method: 'GET', path: apiPath('instances', instance, 'quarantines'), ...options }, isPage)).items,
    set: (instance, scenario, body, options) =>
      json({ method: 'PUT', path: toPath(instance, scenario), body, ...options }, isQuarantine),
    release: (instance, scenario, options) =>
      noContent({ method: 'DELETE', path: toPath(instance, scenario), ...options }),
  };
}

/** As many as the control plane returns at once of a catalogue. */
const cataloguePageSize = 1_000;

function isTooLarge(error: unknown): boolean {
  return error instanceof VpError && error.code === 'REQUEST_INVALID';
}

export function createScenariosClient({ json, noContent }: Transport): ScenariosClient {
  const isDocument = createObjectGuard<ScenarioDocument>('scenario_id', 'revision', 'text');
  const isImportResponse = createObjectGuard<ImportScenarioResponse>('outcome', 'reason', 'scenario');
  const isEntries = createPageTypeGuard<ScenarioEntry>();
  const scenarioPath = (instance: string, ...segments: readonly string[]) =>
    apiPath('instances', instance, 'scenarios', ...segments);
  const list: ScenariosClient['list'] = (instance, page = {}, options) =>
    json({ method: 'GET', path: scenarioPath(instance), query: { ...page }, ...options }, isEntries);
  const isDeletedPage = createPageTypeGuard<DeletedScenario>();
  return {
    list,
    async listAll(instance, { path, ...options } = {}) {
      const read = async (pageSize?: number) =>
        (await readPages((page) => list(instance, { ...page, path }, options), undefined, pageSize)).items;
      try {
        return await read(cataloguePageSize);
      } catch (error) {
        // A control plane of an earlier version returns fewer at once.
        if (isTooLarge(error)) return read();
        throw error;
      }
    },
    async listDeleted(instance, { path, ...options } = {}) {
      const { items } = await readPages((page) => {
        const query = { ...page, path, deleted: 'true' };
        return json({ method: 'GET', path: scenarioPath(instance), query, ...options }, isDeletedPage);
      });
      return items;
    },
    get: (instance, scenario, revision, options) =>
      json({ method: 'GET', path: scenarioPath(instance, scenario), query: { revision }, ...options }, isDocument),
    listRevisions: async (instance, scenario, options) =>
      (await json({ method: 'GET', path: scenarioPath(instance, scenario, 'revisions'), ...options }, isEntries)).items,
    write: (instance, scenario, body, options) =>
      json({ method: 'PUT', path: scenarioPath(instance, scenario), body, ...options }, isDocument),
    remove: (instance, scenario, { ifRevision, ...options } = {}) =>
      noContent({
        method: 'DELETE',
        path: scenarioPath(instance, scenario),
        query: { if_revision: ifRevision },
        ...options,
      }),
    rename: (instance, scenario, body, options) =>
      json({ method: 'POST', path: scenarioPath(instance, scenario, 'rename'), body, ...options }, isDocument),
    restore: (instance, scenario, body, options) =>
      json({ method: 'POST', path: scenarioPath(instance, scenario, 'restore'), body, ...options }, isDocument),
    import: (instance, scenario, body, options) =>
      json({ method: 'POST', path: scenarioPath(instance, scenario, 'import'), body, ...options }, isImportResponse),
  };
}

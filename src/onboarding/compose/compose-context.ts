/** What the parts of the compose tier share during one run. */
import { type ContainerEngine, openEngine } from '../../containers/engine.ts';
import { findPortHolder, type PortHolder } from '../../containers/port-holders.ts';
import type { Environment } from '../../environment/environment.ts';

/** What the tier needs from its process. */
export type ComposeEnvironment = Pick<Environment, 'platform' | 'variables' | 'paths' | 'random'>;

/** `newProjects` and `staleProjects` are what this run has noticed of compose projects. */
export type ComposeContext = {
  readonly environment: ComposeEnvironment;
  /** The engine, opened once. Rejects with ENGINE_*. */
  engine(): Promise<ContainerEngine>;
  /** Who holds a port. Without an engine only processes are found. */
  findPortHolder(port: number): Promise<PortHolder | undefined>;
  /** Projects that had no containers before this run started them. */
  readonly newProjects: Set<string>;
  /** Projects whose compose file this run has changed. */
  readonly staleProjects: Set<string>;
  /** Aborted when the run is interrupted. */
  readonly signal: AbortSignal | undefined;
  /** Group of the engine's socket, once it was read. */
  socketGroup: number | undefined;
};

/** The context of a run. Nothing is opened yet; `overrides` are for tests. */
export function createComposeContext(
  environment: ComposeEnvironment,
  overrides: Partial<Pick<ComposeContext, 'engine' | 'findPortHolder' | 'signal'>> = {},
): ComposeContext {
  let opening: Promise<ContainerEngine> | undefined;
  const engine = overrides.engine ?? (() => (opening ??= openEngine(environment, overrides.signal)));
  return {
    environment,
    engine,
    findPortHolder:
      overrides.findPortHolder ??
      (async (port) => findPortHolder(environment, await engine().catch(() => undefined), port)),
    newProjects: new Set(),
    staleProjects: new Set(),
    signal: overrides.signal,
    socketGroup: undefined,
  };
}

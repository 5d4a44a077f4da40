/**
 * The port through which onboarding, teardown, preflight and doctor set up, remove and examine what runs on a machine. A tier is one
 * implementation of it: `compose/` is the tier of containers on this machine.
 */
import type { FixableFindings } from '../checks/setup-check.ts';
import type { StepFinding } from '../workflow/step.ts';

/** `socket`: the folder of the control plane's executor socket on this machine, to be mounted. `url`: over the network. */
export type ControlPlaneEndpoint =
  | { readonly kind: 'socket'; readonly folder: string }
  | {
      readonly kind: 'url';
      readonly url: string;
      /** PEM certificates to trust besides the usual ones; written as `ca.pem` among the config files. */
      readonly ca?: string | undefined;
      /** Lines for the container's hosts file, `name:address`, for names of the host that the engine does not resolve. */
      readonly hosts?: readonly string[];
    };

/** Name of the file of certificates among the config files. */
export const caFileName = 'ca.pem';
/** Name of the key for direct runs and probes among the config files. */
export const directKeyFileName = 'direct.key';

/** Where the application under test runs, as the section `deploy` of the config names it. */
export type DeployTarget = { readonly composeProject: string; readonly network: string };

/** Everything that the stack of one instance is built from. */
export type InstanceDeployment = {
  readonly instanceId: string;
  readonly image: string;
  /** The executor's port on 127.0.0.1. */
  readonly port: number;
  readonly target: DeployTarget;
  readonly endpoint: ControlPlaneEndpoint;
  readonly kit: string;
};

/** What each component of the platform is built from. Onboarding applies the components in the order of its steps. */
type ComponentInputs = {
  readonly image: { readonly image: string };
  readonly observability: {
    readonly image: string;
    readonly endpoint: ControlPlaneEndpoint;
    /** `dashboard_url` of the config. */
    readonly dashboardUrl: string | undefined;
    /** Key with which the executors' metrics are read. */
    readonly scrapeKey: string;
    /** The instance that is onboarded. */
    readonly instanceId: string;
  };
  readonly 'executor-config': {
    readonly instanceId: string;
    readonly image: string;
    /** Text by file name. It holds secrets. */
    readonly files: Readonly<Record<string, string>>;
  };
  readonly 'stack-files': InstanceDeployment;
  readonly router: { readonly image: string; readonly scrapeKey: string };
  readonly instance: {
    readonly instanceId: string;
    readonly port: number;
    readonly kit: string;
    readonly target: DeployTarget;
    /** The executor must read its config again, so a running one is stopped first. */
    readonly hasNewConfig: boolean;
  };
};

export type ComponentName = keyof ComponentInputs;

/** One component, with what it is built from. */
export type ComponentSpec<N extends ComponentName = ComponentName> = {
  readonly [K in N]: { readonly component: K } & ComponentInputs[K];
}[N];

/** How a long operation reports and is interrupted. */
export type PlatformCallOptions = { readonly signal: AbortSignal; report(text: string): void };

/** `failure`: the component was set up far enough for those that need it, but it does not run, or not for this instance. */
export type ApplyResult = {
  readonly detail: string;
  readonly failure?: { readonly message: string; readonly cure: string } | undefined;
};

/** One thing that an onboarding creates or uses. `kept`: it exists, and is updated only where it differs. */
export type PlanItem = {
  readonly kind: 'image' | 'file' | 'container' | 'network' | 'volume' | 'port' | 'registration';
  readonly name: string;
  readonly change: 'pulled' | 'created' | 'changed' | 'kept' | 'joined' | 'made';
};

/** What the platform would create for an instance. */
export type PlatformPlan = {
  readonly resources: readonly PlanItem[];
  readonly instanceFiles: readonly string[];
  readonly sharedFiles: readonly string[];
};

/**
 * What is removed. `started`: a component whose start in this run was interrupted. `instance`: everything of one instance. `shared`:
 * what the instances of a machine share, which goes with the last of them.
 */
export type RemovalScope =
  | {
      readonly scope: 'started';
      readonly component: 'observability' | 'router' | 'instance';
      readonly instanceId: string;
    }
  | { readonly scope: 'instance'; readonly instanceId: string }
  | { readonly scope: 'shared'; readonly instanceId: string };

/** Names of containers and volumes. */
export type PlatformResources = { readonly containers: readonly string[]; readonly volumes: readonly string[] };

/** What a removal would remove, and what it would leave. */
export type RemovalPlan = PlatformResources & {
  /** Other instances of this machine, because of which shared parts stay. */
  readonly usedBy: readonly string[];
  readonly retained: readonly { readonly what: string; readonly why: string }[];
};

/** A question about the state of the platform on this machine. Nothing is changed by an answer. */
export type DiagnosisTopic =
  | { readonly topic: 'runtime' }
  | { readonly topic: 'host-port'; readonly service: 'dashboard' | 'metrics' | 'router' }
  | { readonly topic: 'router-name' }
  | { readonly topic: 'executor-port'; readonly instanceId: string | undefined }
  | { readonly topic: 'target-ports'; readonly composeProject: string }
  /** Whether the containers of the target run; `host` is that of its base URL. */
  | { readonly topic: 'target'; readonly composeProject: string; readonly host: string | undefined }
  /**
   * `isExecutorOnline`: an executor of the instance is connected, if need be from another machine. `network`: the target's, where
   * it is known.
   */
  | {
      readonly topic: 'services';
      readonly instanceId: string | undefined;
      readonly isExecutorOnline: boolean;
      readonly network: string | undefined;
    };

/** Who holds a port. `component` and `instanceId` say which part of the platform it is, if any. */
export type PlatformPortHolder = {
  readonly description: string;
  readonly component: 'observability' | 'router' | 'instance' | undefined;
  readonly instanceId: string | undefined;
};

/** A free port for an executor, or descriptions of those that hold the whole range. */
export type ExecutorPortChoice = { readonly port: number } | { readonly holders: readonly string[] };

/** How an endpoint of the control plane is searched for. */
export type EndpointSearch = {
  readonly image: string;
  readonly network: string;
  /** Address of the control plane as the user gave it. */
  readonly controlPlane: string;
  readonly ca: string | undefined;
  /** Asks the control plane for the folder of its executor socket; undefined where it offers none. */
  fetchSocketFolder(): Promise<string | undefined>;
};

/** The endpoint that answered, the version of its control plane where it says one, and why the others were rejected. */
export type EndpointSearchResult = {
  readonly endpoint: ControlPlaneEndpoint | undefined;
  readonly version: string | undefined;
  readonly rejected: readonly { readonly endpoint: ControlPlaneEndpoint; readonly reason: string }[];
};

/** All methods throw ENGINE_* when the container engine cannot be used, unless they say otherwise. */
export type Platform = {
  readonly tier: 'compose';

  /** What `apply` would create and use for an instance. */
  plan(deployment: Omit<InstanceDeployment, 'endpoint'>): Promise<PlatformPlan>;
  /** Whether `apply` has anything to do for a component. */
  inspect(spec: ComponentSpec): Promise<StepFinding>;
  /** Brings a component about, from whatever state an earlier attempt left. Safe to repeat. */
  apply(spec: ComponentSpec, options: PlatformCallOptions): Promise<ApplyResult>;
  planRemoval(scope: RemovalScope): Promise<RemovalPlan>;
  /** Returns what was removed. Throws for `started` where the component ran before this run. */
  remove(scope: RemovalScope, options: PlatformCallOptions): Promise<PlatformResources>;
  /** Works without an engine, as far as the topic allows. */
  diagnose(topic: DiagnosisTopic): Promise<FixableFindings>;

  /** The engine and its version, for people. */
  describeRuntime(): Promise<string>;
  /** Throws DEPLOY_PROJECT_UNKNOWN, DEPLOY_NETWORK_UNKNOWN. */
  assertTarget(target: DeployTarget): Promise<void>;
  /** True when containers of that instance exist here, whichever control plane they serve. */
  hasInstance(instanceId: string): Promise<boolean>;
  /** The kit of an instance here if that is not `kit`, because another user has onboarded it. Undefined without an engine. */
  findForeignKit(instanceId: string, kit: string): Promise<string | undefined>;
  /** Images and tags that the containers of an instance run; a tag is undefined for a digest. Empty without an engine. */
  listInstanceImages(
    instanceId: string,
  ): Promise<readonly { readonly image: string; readonly tag: string | undefined }[]>;
  /** Tries the possible endpoints from inside the target's network. */
  findEndpoint(search: EndpointSearch, options: PlatformCallOptions): Promise<EndpointSearchResult>;
  /** Undefined where the port is free. Works without an engine. */
  findPortHolder(port: number): Promise<PlatformPortHolder | undefined>;
  chooseExecutorPort(instanceId: string | undefined): Promise<ExecutorPortChoice>;
  /** Folder of images and volumes on this machine; undefined where there is none, and without an engine. */
  findStorageFolder(): Promise<string | undefined>;
};

/** For people. */
export function describeEndpoint(endpoint: ControlPlaneEndpoint): string {
  return endpoint.kind === 'socket' ? 'the unix socket of the control plane' : endpoint.url;
}

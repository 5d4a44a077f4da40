/** What a component of the compose tier is. */
import type { ApplyResult, ComponentName, ComponentSpec, PlatformCallOptions } from '../../platform/platform.ts';
import type { StepFinding } from '../../workflow/step.ts';
import type { ComposeContext } from '../compose-context.ts';

/** One component; see `Platform.inspect` and `Platform.apply`. */
export type ComposeComponent<N extends ComponentName> = {
  inspect(context: ComposeContext, spec: ComponentSpec<N>): Promise<StepFinding>;
  apply(context: ComposeContext, spec: ComponentSpec<N>, options: PlatformCallOptions): Promise<ApplyResult>;
};

/** The components by name. */
export type ComponentCatalogue = { readonly [N in ComponentName]: ComposeComponent<N> };

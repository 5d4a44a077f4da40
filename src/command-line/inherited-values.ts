/** Values that a command takes from somewhere else than its line, and how it is said where they come from. */

/** Where a value comes from, in the order of precedence. */
export type ValueSource = 'flag' | 'variable' | 'folder' | 'preference' | 'default';

/** `label` says where it comes from: `VP_INSTANCE`, a folder, `vp use`. */
export type InheritedValue = { readonly value: string; readonly source: ValueSource; readonly label: string };

/** What the folder and `vp use` have. Each is called only where it is needed, and may throw PREFERENCES_UNUSABLE. */
export type InheritedValues = {
  controlPlane(): InheritedValue | undefined;
  /** An instance belongs to one control plane. */
  instance(controlPlane: string): InheritedValue | undefined;
};

/** A value of `--control-plane` or `--instance` that is not on the line. */
export type ValueOrigin = InheritedValue & { readonly name: 'control plane' | 'instance' };

export const noInheritedValues: InheritedValues = { controlPlane: () => undefined, instance: () => undefined };

/** `instance shop (VP_INSTANCE), control plane http://… (vp use)`. */
export function formatValueOrigins(origins: readonly ValueOrigin[]): string {
  return origins.map(({ name, value, label }) => `${name} ${value} (${label})`).join(', ');
}

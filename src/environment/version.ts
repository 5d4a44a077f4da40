/** The version of this build; the build replaces nothing, a test holds it against package.json. */
export const version = '0.4.0';

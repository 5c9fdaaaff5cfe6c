/** As `expandPath` reads it. */
export const FACTORY_HOME = '{FACTORY_HOME_OVERRIDE:-~}/.factory';

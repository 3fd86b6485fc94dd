/** The title of the window with how many things wait, for desktops that have no badge on an icon. */

const most = 99;

/** `(3) Streams — Vak Workbench`; nothing waits: the title alone. */
export function badgedTitle(title: string, count: number): string {
  if (count <= 0) return title;
  return `(${count > most ? `${most}+` : count}) ${title}`;
}

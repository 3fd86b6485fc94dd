/** How numbers, sizes, times and ids are written everywhere (look.md "Manners"). Pure; the caller gives the zone and the present. */

/** Narrow no-break space: parts thousands. */
export const thinSpace = '\u202f';
/** No-break space: parts a number from its unit. */
export const unitSpace = '\u00a0';

/** Whether times are shown in UTC or in the machine's own zone. */
export type Zone = 'utc' | 'local';

function grouped(digits: string): string {
  return digits.replace(/\B(?=(\d{3})+$)/g, thinSpace);
}

/** `1 204`, `−12`, `3.50` with fixed decimals; a value that is no number is `–`. */
export function formatCount(value: number, decimals = 0): string {
  if (!Number.isFinite(value)) return '–';
  const [whole = '0', fraction] = Math.abs(value).toFixed(decimals).split('.');
  const text = grouped(whole) + (fraction === undefined ? '' : `.${fraction}`);
  return value < 0 && /[1-9]/.test(text) ? `−${text}` : text;
}

/** `2 431/s`; below ten one decimal unless it is whole: `0.1/s`, `2/s`. */
export function formatRate(perSecond: number): string {
  const tenth = Math.round(perSecond * 10) / 10;
  return `${formatCount(perSecond, Math.abs(tenth) < 10 && !Number.isInteger(tenth) ? 1 : 0)}/s`;
}

const sizeUnits = ['KiB', 'MiB', 'GiB', 'TiB'] as const;

/** `412 B`, `3.1 MiB`: bytes whole, larger units with one fixed decimal. */
export function formatBytes(bytes: number): string {
  if (Math.abs(bytes) < 1024 || !Number.isFinite(bytes)) return `${formatCount(bytes)}${unitSpace}B`;
  let size = bytes / 1024;
  let unit: (typeof sizeUnits)[number] = 'KiB';
  for (const next of sizeUnits.slice(1)) {
    if (Math.abs(size) < 1023.95) break;
    size /= 1024;
    unit = next;
  }
  return `${formatCount(size, 1)}${unitSpace}${unit}`;
}

/** `3.1` of a size in MiB, for places that print the unit once: `3.1/64 MiB`. */
export function formatMebibytes(bytes: number, decimals = 1): string {
  return formatCount(bytes / 1_048_576, decimals);
}

/** `4 %`; the value is a percentage already. */
export function formatPercent(percent: number, decimals = 0): string {
  return `${formatCount(percent, decimals)}${unitSpace}%`;
}

const two = (value: number): string => String(value).padStart(2, '0');
const isTime = (ms: number): boolean => Number.isFinite(ms) && Math.abs(ms) <= 8.64e15;

function clock(date: Date, zone: Zone): string {
  const [hours, minutes, seconds, millis] =
    zone === 'utc'
      ? [date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds(), date.getUTCMilliseconds()]
      : [date.getHours(), date.getMinutes(), date.getSeconds(), date.getMilliseconds()];
  return `${two(hours)}:${two(minutes)}:${two(seconds)}.${String(millis).padStart(3, '0')}`;
}

/** `14:03:07.512`; the zone belongs in the column's header. */
export function formatTime(ms: number, zone: Zone): string {
  return isTime(ms) ? clock(new Date(ms), zone) : '–';
}

/** `14:03:07`, where milliseconds would say nothing. */
export function formatTimeOfDay(ms: number, zone: Zone): string {
  return formatTime(ms, zone).slice(0, 8);
}

/** `UTC`, or the machine's offset at that moment: `UTC+02:00`. */
export function formatZone(zone: Zone, atMs: number): string {
  if (zone === 'utc' || !isTime(atMs)) return 'UTC';
  const minutes = -new Date(atMs).getTimezoneOffset();
  const size = Math.abs(minutes);
  return `UTC${minutes < 0 ? '−' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}

/** `2026-11-29 14:03:10.630 UTC+02:00`, for details. */
export function formatDateTime(ms: number, zone: Zone): string {
  if (!isTime(ms)) return '–';
  const date = new Date(ms);
  const day =
    zone === 'utc'
      ? date.toISOString().split('T')[0]
      : `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${clock(date, zone)} ${formatZone(zone, ms)}`;
}

/** `412 ms`, `41.2 s`, `3 min 12 s`, `2 h 05 min`, `3 d 4 h`. */
export function formatDuration(ms: number): string {
  if (!Number.isFinite(ms)) return '–';
  const size = Math.abs(ms);
  const sign = ms < 0 && Math.round(size) > 0 ? '−' : '';
  const unit = (value: number | string, name: string): string => `${value}${unitSpace}${name}`;
  if (size < 999.5) return sign + unit(Math.round(size), 'ms');
  if (size < 59_950) return sign + unit((size / 1000).toFixed(1), 's');
  const seconds = Math.round(size / 1000);
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  if (hours === 0) return `${sign}${unit(minutes, 'min')} ${unit(two(seconds % 60), 's')}`;
  if (hours < 24) return `${sign}${unit(hours, 'h')} ${unit(two(minutes % 60), 'min')}`;
  return `${sign}${unit(grouped(String(Math.floor(hours / 24))), 'd')} ${unit(hours % 24, 'h')}`;
}

/** An age in a narrow column, in one or two units: `41 s`, `9 min 32 s`, `41 min`, `2 h 05 min`, `14 h`, `3 d 4 h`. */
export function formatAge(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  if (seconds < 60) return `${Math.max(0, seconds)}${unitSpace}s`;
  if (seconds >= 600 && seconds < 3600) return `${Math.floor(seconds / 60)}${unitSpace}min`;
  if (seconds >= 36_000 && seconds < 86_400) return `${Math.floor(seconds / 3600)}${unitSpace}h`;
  return formatDuration(seconds * 1000);
}

/** A count in a narrow column: whole below a million, then `1.20 M`, `34.5 G`; the whole number belongs beside it on hover. */
export function formatShortCount(value: number): string {
  if (!(Math.abs(value) >= 999_999.5)) return formatCount(value);
  const [size, unit] = Math.abs(value) >= 999_950_000 ? [value / 1e9, 'G'] : [value / 1e6, 'M'];
  return `${formatCount(size, Math.abs(size) < 9.995 ? 2 : 1)}${unitSpace}${unit}`;
}

/** `now`, `4 s ago`, `in 2 min`: one unit, rounded down. */
export function formatRelative(ms: number, nowMs: number): string {
  if (!isTime(ms)) return '–';
  const seconds = Math.floor(Math.abs(nowMs - ms) / 1000);
  if (seconds < 1) return 'now';
  const [value, name] =
    seconds < 60
      ? [seconds, 's']
      : seconds < 3600
        ? [Math.floor(seconds / 60), 'min']
        : seconds < 86_400
          ? [Math.floor(seconds / 3600), 'h']
          : [Math.floor(seconds / 86_400), 'd'];
  const amount = `${grouped(String(value))}${unitSpace}${name}`;
  return ms <= nowMs ? `${amount} ago` : `in ${amount}`;
}

/** `019a3c0e…d01`: shortened in the middle; the tail gets a third. Show the whole id on hover and copy it whole. */
export function shortenId(id: string, maxLength = 12): string {
  const characters = [...id];
  if (characters.length <= maxLength) return id;
  const tail = Math.max(1, Math.floor((maxLength - 1) / 3));
  return `${characters.slice(0, maxLength - 1 - tail).join('')}…${characters.slice(-tail).join('')}`;
}

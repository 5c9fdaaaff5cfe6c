export { findPlaces } from './places.ts';

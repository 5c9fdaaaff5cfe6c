export { findPlaces, type Places } from '../places.ts';
